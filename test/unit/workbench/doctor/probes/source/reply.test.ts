import { replyClaims } from '../../../../../../src/workbench/doctor/probes/source/reply.ts';
import { items, listOf, probeAlone, type Service } from '../../../../../support/doctor/probe-alone.ts';

const [contentType, unknownParameter] = replyClaims;
const rows = items(7);

describe('the probe of the content type', () => {
  const typed =
    (type: string): Service =>
    (request) => ({
      headers: { 'content-type': type },
      body: Object(listOf(rows)(request)).body as unknown,
    });
  const probe = async (type: string, top: readonly string[] = []) => {
    const { findings, sent } = await probeAlone(() => contentType, typed(type), { top });
    expect(sent).toEqual([]);
    return findings[0];
  };

  it.each([
    ['application/json', 'application/json, with no character set: read as UTF-8'],
    ['application/json; charset=utf-8', 'application/json, utf-8'],
    ['application/json; charset="UTF-8"', 'application/json, UTF-8'],
  ])('agrees with %s', async (type, observed) => {
    expect(await probe(type)).toMatchObject({ verdict: 'agrees', observed });
  });

  it('notes that the file names another character set than the service', async () => {
    expect(
      await probe('application/json; charset=utf-8', ['decode: { charset: windows-1252 }']),
    ).toMatchObject({
      verdict: 'noted',
      observed: 'application/json; the source says utf-8, the file says windows-1252',
    });
  });
});

describe('the probe of a parameter that nobody knows', () => {
  const probe = async (service: Service) => (await probeAlone(() => unknownParameter, service)).findings[0];
  const isOdd: (request: Parameters<Service>[0]) => boolean = ({ query }) => query.has('portico-doctor');

  it('notes that the service ignores it, so a wrong name would not be seen', async () => {
    expect(await probe(listOf(rows))).toMatchObject({
      verdict: 'noted',
      observed: 'ignored: the source does not notice a wrong name of a parameter',
    });
  });

  it('notes that the service refuses it', async () => {
    const strict: Service = (request) => (isOdd(request) ? { status: 400, body: {} } : listOf(rows)(request));
    expect(await probe(strict)).toMatchObject({
      verdict: 'noted',
      observed: expect.stringMatching(/^refused: /),
    });
  });

  it('notes that other rows come with it', async () => {
    const filtering: Service = (request) =>
      isOdd(request) ? { body: { total: 1, rows: rows.slice(6) } } : listOf(rows)(request);
    expect(await probe(filtering)).toMatchObject({ verdict: 'noted', observed: 'answered with other rows' });
  });
});
