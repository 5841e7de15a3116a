import { credentialClaims } from '../../../../../../src/workbench/doctor/probes/source/credential.ts';
import { items, listOf, probeAlone, type Service } from '../../../../../support/doctor/probe-alone.ts';

const rows = items(7);
const AUTH = 'auth: { kind: header, name: X-Key, value: the-right-one }';

/** A list that does something else for those who do not have the credential. */
const forVisitors =
  (visitor: Service): Service =>
  (request) =>
    request.headers['x-key'] === 'the-right-one' ? listOf(rows)(request) : visitor(request);

const probe = async (service: Service, top: readonly string[] = [AUTH]) => {
  const { findings, sent } = await probeAlone(credentialClaims, service, { top });
  return { found: Object.fromEntries(findings.map((finding) => [finding.probe, finding])), sent };
};

describe('the probe of a credential', () => {
  it('asks once with a wrong one, and once with none', async () => {
    const { sent } = await probe(forVisitors(() => ({ status: 401, body: {} })));
    expect(sent.map(({ headers }) => headers['x-key'])).toEqual(['portico-doctor-wrong', undefined]);
  });

  it('agrees if the rules know the refusal', async () => {
    const { found } = await probe(forVisitors(() => ({ status: 401, body: {} })));
    expect(found).toMatchObject({
      'wrong credential': { verdict: 'agrees', observed: 'HTTP 401 means unauthorized' },
      'no credential': { verdict: 'agrees' },
    });
  });

  it('differs if no rule knows the refusal, and says which to write', async () => {
    const { found } = await probe(forVisitors(() => ({ status: 418, body: {} })));
    expect(found['wrong credential']).toMatchObject({
      verdict: 'differs',
      claim: 'a refused credential is recognised',
      advice: { otherwise: 'outcomes, before others: - { status: 418, is: unauthorized }' },
    });
  });

  it('differs if everybody is served alike', async () => {
    const { found } = await probe(listOf(rows));
    expect(found['no credential']).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining('the credential makes no difference to what is read'),
      advice: { otherwise: expect.stringContaining('auth: { kind: none }') },
    });
  });

  it('says how many records a visitor does not see', async () => {
    const { found } = await probe(forVisitors(listOf(rows.slice(0, 4))));
    expect(found['wrong credential']?.observed).toContain('a visitor sees 4 of 7 records');
  });

  it('says which fields the rows of a visitor lack', async () => {
    const masked = listOf(rows.map((row) => ({ ...row, kind: null })));
    const { found } = await probe(forVisitors(masked));
    expect(found['wrong credential']?.observed).toContain("a visitor's rows lack category");
  });

  it('never shows the credential', async () => {
    const { found } = await probe(forVisitors(() => ({ status: 418, body: {} })));
    expect(JSON.stringify(Object.values(found).map(({ calls: _, ...shown }) => shown))).not.toContain(
      'the-right-one',
    );
  });

  it('asks nothing if the file has no credential', async () => {
    expect(await probe(listOf(rows), [])).toEqual({ found: {}, sent: [] });
  });
});
