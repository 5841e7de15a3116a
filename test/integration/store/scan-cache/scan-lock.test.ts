import { holding } from '../../../support/pipeline/held-calls.ts';
import { startRedis } from '../../../support/redis/redis-server.ts';
import { useMembers } from '../../../support/pipeline/scan-cache-fleet.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { expectedBody, honest, products, shopText } from '../../../unit/pipeline/reading/shop.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

const CALLS_OF_A_SCAN = 4;
const rows = products(35);
const expected = (raw: string, all = rows) => expectedBody('products', all, raw);

let tests = 0;
const redis = startForAll(startRedis);
beforeEach(() => {
  tests += 1;
});
afterEach(() => redis.resume());
const shared = {
  get url() {
    return redis.url;
  },
  get prefix() {
    return `right-${tests}:`;
  },
};
const fleet = useMembers(shared, shopText({ order: 'unknown', budget: '{ snapshot: 30s }' }));
const { open, keysLike, isPublished } = fleet;

describe('the lock of a scan', () => {
  it('passes to another gateway when the one that scans dies', async () => {
    const stuck = holding(honest(() => rows));
    const dies = await open(stuck.serve);
    const lost = dies.list('limit=5').catch(() => 'nobody waits for this any more');
    await eventually(() => stuck.held.length > 0);
    const takesOver = await open(honest(() => rows));
    const answer = takesOver.list('limit=6');
    dies.redis.client.disconnect();
    expect(await answer).toBe(expected('limit=6'));
    expect(takesOver.calls).toHaveLength(CALLS_OF_A_SCAN);
    await dies.close();
    await lost;
  });

  it('is released at once when a scan fails, or every caller has gone', async () => {
    const stuck = holding(honest(() => rows));
    const first = await open(stuck.serve);
    const caller = new AbortController();
    const gone = first.list('limit=5', caller.signal);
    await eventually(() => stuck.held.length > 0);
    const second = await open(honest(() => rows));
    const answer = second.list('limit=6');
    caller.abort(new Error('client gone'));
    await expect(gone).rejects.toThrow('client gone');
    // Its lease would go of itself in a while; one without an end goes only where it is given back.
    for (const lock of await keysLike(':lock')) await fleet.client.persist(lock);
    expect(await answer).toBe(expected('limit=6'));
    await eventually(isPublished);
    expect(first.calls[0]!.signal.aborted).toBe(true);
  });

  it('is renewed while the scan runs', async () => {
    const stuck = holding(honest(() => rows));
    const first = await open(stuck.serve);
    const answer = first.list('limit=5');
    await eventually(async () => (await keysLike(':lock')).length === 1);
    const [lock = ''] = await keysLike(':lock');
    const token = await fleet.client.get(lock);
    // Its time has gone down, and up again.
    await eventually(async () => (await fleet.client.pttl(lock)) < 2_500);
    await eventually(async () => (await fleet.client.pttl(lock)) > 2_500);
    expect(await fleet.client.get(lock)).toBe(token);
    expect(await stuck.release(answer)).toBe(expected('limit=5'));
    await eventually(isPublished);
  });

  it.each<[string, () => Promise<unknown>]>([
    // As if its process had been stopped for longer than its lease.
    ['a lease was lost', async () => fleet.client.del(...(await keysLike(':lock')))],
    ['Redis has lost everything', () => fleet.client.flushall()],
  ])('lets no former holder publish over the scan cache of a later one: %s', async (_what, lose) => {
    const stuck = holding(honest(() => rows.slice(0, 12)));
    const slow = await open(stuck.serve);
    const late = slow.list('limit=5');
    await eventually(() => stuck.held.length > 0);
    await lose();
    const quick = await open(honest(() => rows));
    expect(await quick.list('limit=5')).toBe(expected('limit=5'));
    await eventually(isPublished);
    expect(await stuck.release(late)).toBe(expected('limit=5', rows.slice(0, 12)));
    const written = async () => (await keysLike(':rows')).length === 2;
    await eventually(written);
    await slow.close();
    const third = await open(honest(() => []));
    expect(await third.list('limit=5')).toBe(expected('limit=5'));
    expect(third.calls).toHaveLength(0);
  });
});

describe('while Redis hangs', () => {
  it('every gateway scans by itself, and answers correctly', async () => {
    const fleet = await Promise.all(
      [1, 2].map(() =>
        open(
          honest(() => rows),
          { commandTimeoutMs: 100 },
        ),
      ),
    );
    await redis.pause();
    const bodies = await Promise.all(fleet.map((member) => member.list('limit=5')));
    expect(bodies).toEqual([expected('limit=5'), expected('limit=5')]);
    for (const { calls } of fleet) expect(calls).toHaveLength(CALLS_OF_A_SCAN);
  });

  it.each(['the scan runs', 'others wait for it'])(
    'answers are right where it began to while %s',
    async (moment) => {
      const stuck = holding(honest(() => rows));
      const change = { commandTimeoutMs: 100 };
      const first = await open(stuck.serve, change);
      const second = await open(
        honest(() => rows),
        change,
      );
      const answer = first.list('limit=5');
      await eventually(() => stuck.held.length > 0);
      const waits = moment === 'the scan runs' ? undefined : second.list('limit=6');
      await redis.pause();
      expect(await stuck.release(answer)).toBe(expected('limit=5'));
      expect(await (waits ?? second.list('limit=6'))).toBe(expected('limit=6'));
    },
  );

  it('a page that was read from it is computed from a scan', async () => {
    const first = await open(honest(() => rows));
    await first.list('limit=5');
    await eventually(async () => (await isPublished()) && (await keysLike(':order:*')).length === 1);
    const second = await open(
      honest(() => rows),
      { commandTimeoutMs: 100 },
    );
    expect(await second.list('limit=5')).toBe(expected('limit=5'));
    expect(second.calls).toHaveLength(0);
    await redis.pause();
    expect(await second.list('limit=5&page=2')).toBe(expected('limit=5&page=2'));
    expect(second.calls).toHaveLength(CALLS_OF_A_SCAN);
  });
});
