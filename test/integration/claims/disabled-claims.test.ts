import { eventually } from '../../support/time/eventually.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { type ConfigCopy, copyConfig } from '../../support/gateway/config-copy.ts';
import { PEPPER, type Stack, startStack } from '../../support/gateway/stack.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { lyingCatalog, LYING_BOOKS as BOOKS } from '../../support/upstream/lying-catalog.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';

const redis = startForEach(startRedis);
const upstream = startForEach(() => startUpstream(serving(lyingCatalog)));

function newConfig(): ConfigCopy {
  return endAfterTest(copyConfig());
}

/** A gateway whose answers live for ten minutes. */
async function open({ file }: ConfigCopy, isShared = true): Promise<Stack> {
  const stack = await startStack({
    configFile: file,
    upstream: upstream.origin,
    ...(isShared && { redis: { url: redis.url, prefix: 'portico:' } }),
    configure({ resources }) {
      if (resources.products !== undefined) resources.products.cache.fresh = 600;
    },
  });
  return endAfterTest(stack);
}

async function totalOf(stack: Stack, page = 1): Promise<number> {
  const answer = await stack.get(`/v1/products?category=Books&limit=10&page=${page}`);
  const { data, meta } = (await answer.json()) as { data: unknown[]; meta: { total: number } };
  expect([answer.status, data.length]).toEqual([200, Math.max(0, Math.min(10, BOOKS - (page - 1) * 10))]);
  return meta.total;
}

/** Has the toys asked for, which are counted right: the filter has been looked at, and found true. */
async function askForToys(stack: Stack): Promise<void> {
  expect((await stack.get('/v1/products?category=Toys&limit=10')).status).toBe(200);
}

/** Has the first page served with the wrong total, then the claim disabled on a page that shows it. */
async function contradict(first: Stack, other = first): Promise<void> {
  await askForToys(first);
  for (const stack of [first, other]) expect(await totalOf(stack)).toBe(150);
  expect(await totalOf(other, 12)).toBe(BOOKS);
}

async function isFilterAsked(stack: Stack): Promise<boolean> {
  const before = upstream.requests.length;
  await stack.get('/v1/products?category=Books&limit=10&page=4');
  return upstream.requests.slice(before).some(({ query }) => query.has('cat'));
}

const said = (stack: Stack, text: string) => stack.log.some((line) => line.includes(text));

async function portico({ file }: ConfigCopy, ...args: string[]): Promise<string> {
  const env = { PORTICO_KEY_PEPPER: PEPPER, REDIS_URL: redis.url, CATALOG_URL: upstream.origin };
  const { code, out, err } = await runCommand(['--config', file, ...args], env);
  expect([code, err]).toEqual([0, '']);
  return out;
}

describe('a disabled claim', () => {
  it('takes its answers with it in every gateway on one Redis, and none relies on it again', async () => {
    const config = newConfig();
    const [first, other] = [await open(config), await open(config)];
    await contradict(first, other);
    await eventually(async () => (await totalOf(first)) === BOOKS, { withinMs: 2_000 });
    expect(await totalOf(other)).toBe(BOOKS);
    for (const stack of [first, other]) expect(await isFilterAsked(stack)).toBe(false);
  });

  it('takes its answers with it without a Redis', async () => {
    const stack = await open(newConfig(), false);
    await contradict(stack);
    expect(await totalOf(stack)).toBe(BOOKS);
  });

  it('stays disabled for a gateway that starts later with the same file', async () => {
    const config = newConfig();
    const first = await open(config);
    await contradict(first);
    await first.close();
    const later = await open(config);
    expect(await isFilterAsked(later)).toBe(false);
    expect(await totalOf(later)).toBe(BOOKS);
  });

  it('is believed again once the file says something else', async () => {
    await contradict(await open(newConfig()));
    const changed = newConfig();
    changed.edit('sources/catalog.yaml', 'timeout: 5s', 'timeout: 6s');
    expect(await isFilterAsked(await open(changed))).toBe(true);
  });

  it('is listed by `portico claims`, and believed again by all gateways after `portico claims reset`', async () => {
    const config = newConfig();
    const [first, other] = [await open(config), await open(config)];
    expect(await portico(config, 'claims')).toBe('no claim has been disabled\n');
    await contradict(first, other);
    await eventually(() => said(first, 'a claim has been disabled before'));
    const listed = await eventually(async () => {
      const out = await portico(config, 'claims');
      return out.startsWith('no') ? undefined : out;
    });
    expect(listed).toMatch(
      /^catalog {2}products {2}filter\.category\.eq {2}disabled \d{4}-\S+Z: a window has .+ {2}\(\S+catalog\.yaml:\d+\)\n$/,
    );
    expect(await portico(config, 'claims', 'reset', 'catalog', 'filter.category.eq')).toBe(
      'believed again: catalog  products  filter.category.eq\n',
    );
    expect(await portico(config, 'claims')).toBe('no claim has been disabled\n');
    for (const stack of [first, other])
      await eventually(() => said(stack, 'believed again'), { withinMs: 2_000 });
    expect(await isFilterAsked(first)).toBe(true);
  });

  it('is disabled in one gateway while Redis is away, and in the others once it is back', async () => {
    const config = newConfig();
    const [first, other] = [await open(config), await open(config)];
    await askForToys(first);
    for (const stack of [first, other]) expect(await totalOf(stack)).toBe(150);
    await redis.kill();
    expect(await totalOf(other, 12)).toBe(BOOKS);
    await eventually(async () => (await totalOf(other)) === BOOKS, { withinMs: 2_000 });
    await redis.restart();
    await eventually(async () => (await totalOf(first)) === BOOKS);
    expect(await isFilterAsked(first)).toBe(false);
  });

  it('stays disabled in a fleet whose Redis has lost its memory', async () => {
    const config = newConfig();
    const first = await open(config);
    await contradict(first);
    await redis.restart();
    await eventually(async () => !(await portico(config, 'claims')).startsWith('no'));
    expect(await isFilterAsked(await open(config))).toBe(false);
  });
});

describe("the operator's listener", () => {
  it('lists the claims that have been disabled, and has them believed again', async () => {
    const stack = await open(newConfig(), false);
    await contradict(stack);
    const list = async () => (await (await fetch(`${stack.adminUrl}/api/claims`)).json()) as object;
    const claim = { source: 'catalog', resource: 'products', claim: 'filter.category.eq' };
    expect(await list()).toMatchObject({ disabled: [claim] });
    const reset = await fetch(`${stack.adminUrl}/api/claims/reset?source=catalog`, { method: 'POST' });
    expect(await reset.json()).toMatchObject({ reset: [claim] });
    expect(await list()).toEqual({ disabled: [] });
    expect(await totalOf(stack)).toBe(150);
  });
});

describe('the log', () => {
  it('says in every gateway that a claim has been disabled, and in the first what was forgotten', async () => {
    const config = newConfig();
    const [first, other] = [await open(config), await open(config)];
    await contradict(first, other);
    await eventually(() => said(first, 'a claim has been disabled before, or in another process'));
    expect(said(other, 'all products read so far are forgotten in every process')).toBe(true);
    expect(await other.counted('portico_guard_trips_total', 'rule="filter.category.eq"')).toBe(1);
  });
});
