import { openExaminer } from '../../../support/command/run-doctor.ts';
import {
  hangUp,
  peopleAt,
  people,
  peopleSource,
  type Quirks,
  startPeopleService,
} from '../../../support/upstream/people-upstream.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

const examiner = startForAll(openExaminer);
const service = startForAll(startPeopleService);

type Says = Parameters<typeof peopleSource>[1];

/** Examines the service with some quirks, behind a file with some changes; no value of a record may be told. */
async function examine(quirks: Quirks = {}, says: Says = {}, ...args: string[]) {
  service.become(quirks);
  const run = await examiner.examine(peopleSource(service.baseUrl, says), ...args);
  expect(run.out + run.err).not.toMatch(/secret|Secret/);
  const of = (probe: string) => run.findings.find((finding) => finding.probe === probe);
  return { ...run, of };
}

const TOTAL = 'total: { at: n }';

describe('portico doctor', () => {
  it('ends with 0 where the file says what is true', async () => {
    const { code, differing, diagnosis } = await examine({}, { list: TOTAL });
    expect({ code, differing }).toEqual({ code: 0, differing: [] });
    expect(diagnosis).toMatchObject({
      source: 'people',
      differences: 0,
      calls: service.requests,
      resources: [{ resource: 'users', rows: 30, complete: true }],
    });
  });

  it.each<[string, Quirks, Says, string, string]>([
    [
      'an answer without the right credential',
      { refusal: () => undefined },
      {},
      'wrong credential, no credential',
      'auth',
    ],
    [
      'a refusal of the credential that no rule knows',
      { refusal: () => ({ status: 403, body: {} }) },
      {},
      'wrong credential, no credential',
      'outcomes',
    ],
    ['a credential that is refused', {}, { auth: 'bad' }, 'first call', 'auth'],
    [
      'a list of another type',
      { list: () => ({ headers: { 'Content-Type': 'text/html' }, body: '<p>secret</p>' }) },
      {},
      'first call',
      'decode',
    ],
    [
      'rows in another place',
      { list: () => ({ body: { rows: [] } }) },
      {},
      'first call',
      'resources.users.list.items',
    ],
    [
      'a record that is another by itself',
      {
        get: (answer, id) => (id === '30' ? { body: { person: { ...people[29], mail: 'secret' } } } : answer),
      },
      {},
      'get',
      'resources.users.get.map.email',
    ],
    [
      'another record in place of a missing one',
      { get: (answer) => (answer.status === 404 ? { body: { person: people[0] } } : answer) },
      {},
      'missing id',
      'outcomes',
    ],
    [
      'a failure where an id has another form',
      { get: (answer, id) => (id.length > 9 ? { status: 500, body: 'secret' } : answer) },
      {},
      'malformed id',
      'resources.users.id',
    ],
    ['a path with nothing behind it', {}, { mail: 'email' }, 'field email', 'resources.users.list.map.email'],
    [
      'times in another format',
      {},
      { since: '[{ date: { format: dd.MM.yyyy, zone: UTC } }]' },
      'field created_at',
      'resources.users.list.map.created_at',
    ],
    [
      'other rows each time',
      {
        list: (_answer, url, request) => ({
          body: { people: request % 2 === 0 ? peopleAt(url) : [...peopleAt(url)].reverse(), n: 30 },
        }),
      },
      {},
      'order, stability',
      'resources.users.list.order',
    ],
  ])('names %s', async (_what, quirks, says, differing, path) => {
    const run = await examine(quirks, says);
    expect(run.differing.join(', ')).toBe(differing);
    expect(run.findings.find(({ verdict }) => verdict === 'differs')).toMatchObject({ path });
    expect(run.code).toBe(1);
  });

  it('advises what could be declared: a total, an order', async () => {
    const { of, code } = await examine({}, { order: 'unknown' });
    expect(code).toBe(0);
    expect(of('total')).toMatchObject({
      verdict: 'noted',
      hint: expect.stringContaining('total: { at: n }'),
    });
    expect(of('order')).toMatchObject({ verdict: 'noted', hint: expect.stringContaining('order: id') });
    expect(of('unknown parameter')).toMatchObject({
      verdict: 'noted',
      observed: expect.stringContaining('ignored'),
    });
  });

  it('says that unknown parameters are refused', async () => {
    const known = (query: URLSearchParams) => query.size === 2;
    const { of, code } = await examine({
      list: (answer, query) => (known(query) ? answer : { status: 400, body: {} }),
    });
    expect(of('unknown parameter')).toMatchObject({
      verdict: 'noted',
      observed: expect.stringContaining('refused'),
    });
    expect(code).toBe(0);
  });

  it('makes no more calls than --calls-max, and says what it could not check', async () => {
    const { code, findings } = await examine({}, { list: TOTAL }, '--calls-max', '9');
    expect(service.requests).toBe(9);
    expect(code).toBe(0);
    expect(findings.filter(({ observed }) => observed.includes('--calls-max 9'))).not.toEqual([]);
  });

  it("reads no more rows in a walk than the source's budget allows", async () => {
    const { diagnosis } = await examine({}, { budget: '{ rows: 20 }' });
    expect(diagnosis.resources).toMatchObject([{ rows: 20, complete: false }]);
  });
});

describe('portico doctor, where the service cannot be examined', () => {
  it('ends with 69 when the connection is refused', async () => {
    const { code, err, differing } = await examiner.examine(peopleSource('http://127.0.0.1:1'));
    expect({ code, differing }).toEqual({ code: 69, differing: [] });
    expect(err).toBe(
      'portico: people at http://127.0.0.1:1: the exchange with the source failed: ECONNREFUSED\n',
    );
  });

  it('ends with 69 where the service says that it is unavailable', async () => {
    const { code, err } = await examine({ list: () => ({ status: 503, body: {} }) });
    expect({ code, err }).toEqual({ code: 69, err: expect.stringContaining('unavailable') });
  });

  it('ends with 69 where the service goes away, and asks it no more', async () => {
    const { code, err, findings } = await examine({
      list: (answer, _url, request) => (request > 8 ? hangUp : answer),
      get: () => hangUp,
    });
    expect({ code, err }).toEqual({ code: 69, err: expect.stringContaining('failed') });
    expect(findings.at(-1)).toMatchObject({ verdict: 'could not tell' });
    expect(service.requests).toBeLessThan(15);
  });
});

describe('portico doctor for a person', () => {
  it('writes a line for each probe, and a difference with its place, its call and a hint', async () => {
    service.become({});
    const { code, out } = await examiner.read(
      peopleSource(service.baseUrl, { list: TOTAL }).replace('sizeMax: 10', 'sizeMax: 25'),
    );
    expect(code).toBe(1);
    expect(out).toMatch(
      /^at most 200 calls, one at a time; --calls-max changes that\nusers of people \(\S+\/source\.yaml\)\n {2}agrees {3}first call {17}HTTP 200 with 10 rows\n/,
    );
    expect(out).toContain(
      '  DIFFERS  size                       10 rows where 25 were asked for, and more behind them\n',
    );
    expect(out).toMatch(
      /source\.yaml:16:40: resources\.users\.list\.window\.sizeMax: claims that a call gives up to 25 rows\n/,
    );
    expect(out).toContain(`asked: GET ${service.baseUrl}/people?from=0&n=25\n`);
    expect(out).toContain('hint: window: { sizeMax: 10 }\n');
    expect(out).toMatch(/\n1 difference, \d+ agree, 0 unclear; all 30 users read, \d+ calls in [\d.]+ s\n$/);
  });
});
