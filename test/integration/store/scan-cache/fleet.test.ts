import { holding } from '../../../support/pipeline/held-calls.ts';
import { useRedis } from '../../../support/redis/redis-server.ts';
import { type Member, useMembers } from '../../../support/pipeline/scan-cache-fleet.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { expectedBody, honest, products, shopText } from '../../../unit/pipeline/reading/shop.ts';

const CALLS_OF_A_SCAN = 25;
const rows = products(245).map((one, i) => ({
  ...one,
  name: `n${(i * 37) % 245}`,
  category: i % 2 === 0 ? 'Toys' : 'Books',
  price: `${i % 50}.50`,
}));
const text = (snapshot = '30s') => shopText({ order: 'unknown', budget: `{ snapshot: ${snapshot} }` });
const QUESTIONS = [
  'limit=7',
  'limit=100&page=3',
  'limit=5&page=99',
  'category=Toys&limit=10&page=2',
  'min_price=3&max_price=11',
  'category=Books&limit=2&page=3',
];

const fleet = useMembers(useRedis(), text());
const { open, keysLike, isPublished } = fleet;
const expectRight = async (member: Member, questions = QUESTIONS, all = rows) => {
  for (const raw of questions) expect(await member.list(raw)).toBe(expectedBody('products', all, raw));
};

describe('the rows of one scan, shared by two gateways', () => {
  it('are read once for all concurrent callers, on whichever gateway and for whichever page', async () => {
    const { serve, release } = holding(honest(() => rows));
    const both = [await open(serve), await open(serve)];
    const bodies = await release(
      Promise.all(both.flatMap((member) => QUESTIONS.map((raw) => member.list(raw)))),
    );
    const expected = QUESTIONS.map((raw) => expectedBody('products', rows, raw));
    expect(bodies).toEqual([...expected, ...expected]);
    expect(both.reduce((sum, { calls }) => sum + calls.length, 0)).toBe(CALLS_OF_A_SCAN);
  });

  it('serve every page, filter and order of the other gateway without a call, with the same answers', async () => {
    const first = await open(honest(() => rows));
    await first.list('limit=7');
    await eventually(isPublished);
    const second = await open(honest(() => rows.slice(0, 10)));
    await expectRight(second);
    expect(second.calls).toHaveLength(0);
    await expectRight(first);
    expect(first.calls).toHaveLength(CALLS_OF_A_SCAN);
  });

  it('are read from Redis in small chunks when only a page is needed', async () => {
    const first = await open(honest(() => rows));
    await first.list('limit=7');
    await eventually(async () => (await isPublished()) && (await keysLike(':order:*')).length === 1);
    const [all = ''] = await keysLike(':rows');
    const chunks = new Set<string>();
    const second = await open(honest(() => []));
    const monitor = await fleet.client.monitor();
    monitor.on('monitor', (_time: string, [command, key, ...fields]: string[]) => {
      if (command?.toLowerCase() === 'hmget' && key === all) fields.forEach((one) => chunks.add(one));
    });
    await expectRight(second, ['limit=7&page=2']);
    await eventually(() => chunks.size > 0);
    monitor.disconnect();
    expect(chunks.size).toBeLessThanOrEqual(7);
    expect(await fleet.client.hlen(all)).toBeGreaterThan(4 * 7);
    // Without the chunks of other rows, the page is answered all the same.
    for (const field of await fleet.client.hkeys(all))
      if (!chunks.has(field)) await fleet.client.hdel(all, field);
    const third = await open(honest(() => []));
    await expectRight(third, ['limit=7&page=2']);
  });

  it('expire in Redis, and share one cluster slot', async () => {
    const first = await open(honest(() => rows));
    await first.list('category=Toys');
    await eventually(isPublished);
    const keys = await keysLike('');
    expect(keys.length).toBeGreaterThan(2);
    for (const key of keys) expect(await fleet.client.pttl(key)).toBeGreaterThan(0);
    expect(new Set(keys.map((key) => /\{.*\}/.exec(key)?.[0])).size).toBe(1);
  });

  it('are not shared when the operator sets their life to 0', async () => {
    const first = await open(
      honest(() => rows),
      { text: text('0s') },
    );
    await expectRight(first, ['limit=7']);
    expect(await keysLike('')).toEqual([]);
  });
});

/** Everything there is of the snapshots, to be put back. */
async function saveAll(): Promise<() => Promise<void>> {
  const keys = await keysLike('');
  const dumps = await Promise.all(keys.map((key) => fleet.client.dumpBuffer(key)));
  return async () => {
    for (const key of await keysLike('')) await fleet.client.del(key);
    for (const [at, key] of keys.entries()) await fleet.client.restore(key, 30_000, dumps[at]!);
  };
}

describe('a damaged scan cache in Redis', () => {
  const STEPS = 20;
  it.each([':now', ':rows', ':order:id'])(
    'is a miss whichever byte is damaged, never a wrong answer: %s',
    async (part) => {
      const first = await open(honest(() => rows));
      await first.list('limit=7');
      await eventually(async () => (await isPublished()) && (await keysLike(':order:*')).length === 1);
      const restore = await saveAll();
      const [key = ''] = await keysLike(part);
      const fields = part === ':now' ? ['head'] : await fleet.client.hkeys(key);
      for (let step = 0; step < STEPS; step += 1) {
        await restore();
        const field = fields[Math.floor((fields.length * step) / STEPS)]!;
        const damaged = (await fleet.client.hgetBuffer(key, field))!;
        const at = Math.floor((damaged.length * step) / STEPS);
        damaged[at] = damaged[at]! ^ (1 << (step % 8));
        await fleet.client.hset(key, field, damaged);
        const second = await open(honest(() => rows));
        await expectRight(second, ['limit=7', 'limit=100&page=3', 'category=Toys']);
        // An order can be made anew of the rows; without head or rows there is nothing.
        expect(second.calls).toHaveLength(part === ':order:id' ? 0 : CALLS_OF_A_SCAN);
        await fleet.close(1);
      }
    },
  );

  it('causes a new scan when its rows are gone', async () => {
    const first = await open(honest(() => rows));
    await first.list('limit=7');
    await eventually(isPublished);
    await fleet.client.del(...(await keysLike(':rows')), ...(await keysLike(':order:*')));
    const second = await open(honest(() => rows));
    await expectRight(second);
    expect(second.calls).toHaveLength(CALLS_OF_A_SCAN);
  });
});
