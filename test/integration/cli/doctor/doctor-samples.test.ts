import {
  type HttpReply,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../../support/upstream/scripted-upstream.ts';
import { anyPorts, startSamples } from '../../../../src/cli/demo/serve.ts';
import { openExaminer } from '../../../support/command/run-doctor.ts';
import { runCommand } from '../../../support/command/run-command.ts';
import { copyConfig } from '../../../support/gateway/config-copy.ts';
import { endAfterTest, startForAll, startForEach } from '../../../support/jest/lifetime.ts';

let env: Record<string, string>;
const samples = startForAll(() => startSamples({ ports: anyPorts }));
beforeAll(() => {
  const { users = '', catalog = '', people = '' } = samples.urls;
  env = { USERS_URL: users, CATALOG_URL: catalog, PEOPLE_URL: people };
});
const config = startForEach(copyConfig);
beforeEach(() => {
  config.useGenerousTimeouts();
});

const doctor = (...args: string[]) => runCommand(['--config', config.file, 'doctor', ...args], env);

/** What a command says beside its result, without the lines of progress, which come if it takes long. */
const withoutProgress = (err: string) => err.replaceAll(/^doctor \w+: \d+ of at most .*\n/gm, '');

describe('portico doctor in front of the sample services', () => {
  it('finds nothing wrong with the catalogue, of which it reads everything', async () => {
    const { code, out, err } = await doctor('catalog');
    expect({ code, err: withoutProgress(err) }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /\n0 differences, \d+ agree, 0 unclear; all 2000 products read, \d+ calls in [\d.]+ s\n$/,
    );
  });

  it('finds nothing wrong with the CRM, from its start and its end', async () => {
    const { code, out, err } = await doctor('crm');
    expect({ code, err: withoutProgress(err) }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/agrees {3}sort id descending {9}\d+ rows in order, from the start and the end\n/);
    expect(out).toMatch(/\n0 differences, .* calls in [\d.]+ s\n$/);
  });

  it('finds nothing wrong with the people, from their start and their end', async () => {
    const { code, out, err } = await doctor('people');
    expect({ code, err: withoutProgress(err) }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/\n0 differences, .* calls in [\d.]+ s\n$/);
  });

  it('names a size that the service refuses, and goes on in one that it takes', async () => {
    const line = config.edit('sources/catalog.yaml', '[20, 50, 100]', '[20, 50, 100, 200]');
    const { code, out } = await doctor('catalog', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ differences: 1, resources: [{ rows: 2000, complete: true }] });
    expect(JSON.parse(out).resources[0].findings).toContainEqual(
      expect.objectContaining({ probe: 'size', line, hint: 'window: { sizes: [20, 50, 100] }' }),
    );
  });

  it('names a code that the file does not know, and prints it only where values may be printed', async () => {
    config.edit('sources/catalog.yaml', 'GRO: Groceries', 'GRX: Groceries');
    const { code, out } = await doctor('catalog');
    expect(code).toBe(1);
    expect(out).toMatch(/DIFFERS {2}field category +it cannot be read in \d+ of 2000 rows\n/);
    expect((await doctor('catalog', '--values')).out).toContain(', such as "GRO"');
  });

  it('says where to look if the path of a field that only single records have finds nothing', async () => {
    const line = config.edit('sources/crm.yaml', 'from: about.town', 'from: about.twon');
    const { code, out } = await doctor('crm');
    expect(code).toBe(0);
    const said =
      /unclear {2}field profile\.location +there is nothing at its path in \d+ of \d+ records\n.*crm\.yaml:(\d+):.*: advice: map\.profile\.location: the path;/;
    expect(said.exec(out)?.[1]).toBe(String(line));
  });

  it.each([
    [[], 'name a source'],
    [['crm', '--source', 'x.yaml'], 'name a source'],
    [['shop'], 'no source is named "shop"; sources: catalog, crm, people'],
    [['crm', '--calls-max', '0'], 'whole number'],
  ])('ends with 64 for a wrong command line: %j', async (args, message) => {
    expect(await doctor(...args)).toMatchObject({ code: 64, out: '', err: expect.stringContaining(message) });
  });

  it('ends with 78 for a file that is wrong in itself', async () => {
    config.edit('sources/crm.yaml', 'order: id', 'order: up');
    expect(await doctor('crm')).toMatchObject({ code: 78, err: expect.stringContaining('crm.yaml:') });
  });
});

describe('portico doctor, in front of a source that can do more than its file says', () => {
  const examiner = startForAll(openExaminer);

  const items = Array.from({ length: 12 }, (_, n) => ({
    id: n + 1,
    kind: n % 5 === 0 ? 'A & B' : `k${n % 3}`,
  }));

  function answer({ query }: UpstreamRequest): HttpReply {
    const after = Number(query.get('after') ?? 0);
    const kind = query.get('kind');
    const found = items.filter((item) => kind === null || item.kind === kind);
    const rest = found.filter(({ id }) => id > after);
    const next = rest[3] && `http://inside.example/items?after=${rest[3].id}`;
    const link = next !== undefined && rest.length > 4 && { Link: `<${next}>; rel="next"` };
    return { headers: { 'X-Total-Count': String(found.length), ...link }, body: rest.slice(0, 4) };
  }

  it('advises a filter and a total, and tells that links name another host', async () => {
    const upstream = endAfterTest(await startUpstream(serving(answer)));
    const { code, findings } = await examiner.examine(`
source: 1
name: shop
net: { baseUrl: '${upstream.origin}' }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items }
      window: { kind: link, sizeMax: 4, next: { header: Link }, origin: any }
      items: ''
      map: { id: id, name: kind, description: null, price: null, category: kind }
`);
    expect(code).toBe(0);
    const noted = findings.filter(({ verdict }) => verdict === 'noted');
    expect(noted).toMatchObject([
      { probe: 'unknown parameter' },
      { probe: 'link host', observed: expect.stringContaining('another host') },
      { probe: 'order', hint: expect.stringContaining('order: id') },
      { probe: 'total', hint: expect.stringContaining('total: { header: X-Total-Count }') },
      { probe: 'filter category eq', hint: expect.stringContaining("query: { kind: '{value}' }") },
    ]);
  });
});
