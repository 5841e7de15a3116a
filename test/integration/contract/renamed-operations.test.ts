import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify, parse } from 'yaml';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { sourceTexts } from '../../support/gateway/config-texts.ts';
import { renamed, renamedContract, renamedSource } from '../../support/gateway/renamed-texts.ts';
import { createSampleServices } from '../../support/gateway/sample-services.ts';
import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { startForEach } from '../../support/jest/lifetime.ts';
import { eventually } from '../../support/time/eventually.ts';

/** What an operator writes, with some names of resources and fields or with others. */
type Naming = {
  readonly contract: string;
  readonly source: (text: string) => string;
  /** A text in which the names of the built-in contract stand. */
  readonly text: (text: string) => string;
};

const contract = readFileSync('config/contract.yaml', 'utf8');
const sameText = (text: string) => text;
const REFERENCE: Naming = {
  // Written anew, so that both files have the same lines.
  contract: stringify(parse(contract)),
  source: (text) => stringify(parse(text)),
  text: sameText,
};
const RENAMED: Naming = {
  contract: renamedContract(contract),
  source: renamedSource,
  text: (text) => renamed(text).replaceAll('/user_', '/za_'),
};

const [crm, catalog] = [sourceTexts['crm.yaml']!, sourceTexts['catalog.yaml']!];
const entry = 'public: true, deadline: 60s, cache: { fresh: 0s, notFound: 0s }';
const migration = 'migration: { to: next, stage: shadow, shadow: { maxRps: 1000, timeout: 30s } }';

const services = createSampleServices({});
let variables: Readonly<Record<string, string>>;
beforeAll(async () => {
  variables = await services.listen();
});
afterAll(() => services.close());

describe('what an operator sees of the shipped contract with every resource and field renamed', () => {
  const QUESTIONS = [
    ...['/v1/users?sort=name', '/v1/users?page=2&limit=7', '/v1/users/user_3', '/v1/users/user_9999'],
    ...['/v1/products?min_price=3&sort=id', '/v1/products?category=Toys', '/v1/users?sort=nothing'],
    '/v1/nothing',
  ];

  let [one, other]: SourceGateway[] = [];
  beforeAll(async () => {
    const start = ({ contract: own, source, text }: Naming) =>
      startGateway({
        ...{ contract: own, variables },
        sources: {
          'crm.yaml': source(crm),
          'next.yaml': source(crm.replace('name: crm', 'name: next')),
          'catalog.yaml': source(catalog),
        },
        config: text(
          `resources: { users: { source: crm, ${entry}, ${migration} }, products: { source: catalog, ${entry} } }\n`,
        ),
      });
    one = await start(REFERENCE);
    other = await start(RENAMED);
    for (const question of QUESTIONS) {
      await (await fetch(one.url + question)).arrayBuffer();
      await (await fetch(other.url + RENAMED.text(question))).arrayBuffer();
    }
    const isCompared = async (gateway: SourceGateway) =>
      (await gateway.counted('portico_migration_shadow_total')) === 4;
    await eventually(async () => (await isCompared(one!)) && isCompared(other!), { withinMs: 60_000 });
  });
  afterAll(() => Promise.all([one?.close(), other?.close()]));

  /** The series of a gateway with their values, without what differs from run to run. */
  async function seriesOf(gateway: SourceGateway): Promise<readonly string[]> {
    const lines = (await gateway.metrics()).split('\n').filter((line) => line.startsWith('portico_'));
    return lines
      .filter((line) => !/^portico_(?:config_info|\w*bytes)/.test(line))
      .map((line) => (/^portico_\w*seconds/.test(line) ? line.slice(0, line.lastIndexOf(' ')) : line))
      .sort();
  }

  it('has the same series with the same counts, but for the names', async () => {
    const [expected, found] = [await seriesOf(one!), await seriesOf(other!)];
    expect(found.filter((line) => /^portico_requests_total.*zz[12]\./.test(line)).length).toBeGreaterThan(4);
    expect(found).toEqual(expected.map(renamed).sort());
  });

  const IS_OF_A_RUN = /(?:Ms|PerSecond|[bB]ytes\w*|At|Since)$|^(?:at|since|digest)$/;

  /** A view under the other names, without times, speeds, sizes and digests, which differ from run to run. */
  async function viewOf({ adminUrl }: SourceGateway, path: string): Promise<unknown> {
    const answer = await fetch(`${adminUrl}/api/${path}`);
    const text = RENAMED.text(await answer.text()).replaceAll(/\b[\d.]+ms\b/g, '… ms');
    const value: unknown = JSON.parse(text, (key, part: unknown) => {
      if (IS_OF_A_RUN.test(key)) return undefined;
      // Times differ from run to run, and the name of a resource decides which callers a share reaches.
      if (Array.isArray(part) && (key === 'unmet' || key === 'met'))
        return part.filter(({ id }: { id: string }) => !['latency', 'soak', 'reach'].includes(id));
      // Sorted by names, which are others.
      return key === 'operations' && Array.isArray(part)
        ? part.map((one) => JSON.stringify(one)).sort()
        : part;
    });
    return [answer.status, value];
  }

  it.each(['overview', 'quality', 'claims', 'migrations', 'migrations/users', 'sources/crm', 'cache'])(
    'has the same view but for the names: %s',
    async (path) => {
      expect(await viewOf(other!, renamed(path))).toEqual(await viewOf(one!, path));
    },
  );

  it('purges by the tag of a resource, and takes a step of one', async () => {
    const post = (path: string, body: object) =>
      fetch(`${other!.adminUrl}/api/${path}`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      });
    expect((await post('cache/purge', { tag: 'zz1' })).status).toBe(200);
    expect((await post('migrations/zz1/hold', { reason: 'a test' })).status).toBe(200);
  });
});

describe('portico doctor with every resource and field renamed', () => {
  const config = startForEach(copyConfig);

  /** What it finds out about a source, without how long it took. */
  async function claimsOf({ contract: own, source }: Naming, name: string): Promise<unknown> {
    const folder = dirname(config.file);
    writeFileSync(config.file, 'portico: 1\nresources: {}\n');
    writeFileSync(join(folder, 'contract.yaml'), own);
    for (const [file, text] of Object.entries(sourceTexts))
      writeFileSync(join(folder, 'sources', file), source(text));
    const { code, out } = await runCommand(['--config', config.file, 'doctor', name, '--json'], variables);
    return [code, JSON.parse(renamed(out), (key, part: unknown) => (/^ms$/.test(key) ? undefined : part))];
  }

  it.each(['crm', 'catalog'])('finds the same of %s, but for the names', async (name) => {
    const expected = await claimsOf(REFERENCE, name);
    expect(JSON.stringify(expected).split('"verdict":"agrees"').length).toBeGreaterThan(5);
    expect(await claimsOf(RENAMED, name)).toEqual(expected);
  });
});
