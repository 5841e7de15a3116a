import { holding } from '../../../support/pipeline/held-calls.ts';
import { useRedis } from '../../../support/redis/redis-server.ts';
import { openSource } from '../../../support/pipeline/scripted-source.ts';
import { useMembers } from '../../../support/pipeline/scan-cache-fleet.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { expectedBody, honest, products, shopText } from '../../../unit/pipeline/reading/shop.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';

const CALLS_OF_A_SCAN = 4;
const before = products(35);
const after = products(33);
const expected = (raw: string, all: typeof before) => expectedBody('products', all, raw);
const text = shopText({ order: 'unknown', budget: '{ snapshot: 30s }' });
/** In the last third of a snapshot's life. */
const LATE_MS = 21_000;

const { open, keysLike, isPublished } = useMembers(useRedis(), text);

describe('a scan cache that is used in the last third of its life', () => {
  it('is refreshed in the background, and serves readers until then', async () => {
    let now = before;
    const source = endAfterTest(
      openSource(
        'products',
        text,
        honest(() => now),
      ),
    );
    expect(await source.list('limit=5')).toBe(expected('limit=5', before));
    now = after;
    source.clock.advance(LATE_MS);
    expect(await source.list('limit=5&page=7')).toBe(expected('limit=5&page=7', before));
    await eventually(() => source.calls.length === 2 * CALLS_OF_A_SCAN);
    await eventually(async () => (await source.list('limit=5&page=7')) === expected('limit=5&page=7', after));
    // It lives from the start of its own scan.
    source.clock.advance(LATE_MS - 1_500);
    expect(await source.list('limit=5')).toBe(expected('limit=5', after));
    expect(source.calls).toHaveLength(2 * CALLS_OF_A_SCAN);
  });

  it('is refreshed once for all gateways of a fleet', async () => {
    let now = before;
    const fleet = [await open(honest(() => now)), await open(honest(() => now))];
    await fleet[0]!.list('limit=5');
    await eventually(isPublished);
    await fleet[1]!.list('limit=5');
    now = after;
    for (const { clock } of fleet) clock.advance(LATE_MS);
    for (const { list } of fleet)
      expect(await list('limit=5&page=7')).toBe(expected('limit=5&page=7', before));
    for (const { list, clock } of fleet) {
      await eventually(async () => {
        // The fleet is asked once a second.
        clock.advance(1_000);
        return (await list('limit=5&page=7')) === expected('limit=5&page=7', after);
      });
    }
    expect(fleet[0]!.calls.length + fleet[1]!.calls.length).toBe(2 * CALLS_OF_A_SCAN);
  });

  it('is kept when the refresh fails, and is not served after its end', async () => {
    let serve = honest(() => before);
    const source = endAfterTest(openSource('products', text, (asked) => serve(asked)));
    await source.list('limit=5');
    serve = () => Promise.reject(new Error('the source is down'));
    source.clock.advance(LATE_MS);
    for (const _ of [1, 2, 3]) expect(await source.list('limit=5')).toBe(expected('limit=5', before));
    // One attempt; the next only after a tenth of its life.
    expect(source.calls).toHaveLength(CALLS_OF_A_SCAN + 1);
    source.clock.advance(3_000);
    expect(await source.list('limit=5')).toBe(expected('limit=5', before));
    expect(source.calls).toHaveLength(CALLS_OF_A_SCAN + 2);
    source.clock.advance(6_000);
    await expect(source.list('limit=5')).rejects.toThrow('the source is down');
  });

  it('has all callers wait for one refresh when it expires during it', async () => {
    const { serve, held, release } = holding(honest(() => before));
    const source = endAfterTest(openSource('products', text, serve));
    await release(source.list('limit=5'));
    source.clock.advance(LATE_MS);
    await source.list('limit=5');
    await eventually(() => held.length === 1);
    source.clock.advance(10_000);
    expect(await release(source.list('limit=6'))).toBe(expected('limit=6', before));
    expect(source.calls).toHaveLength(2 * CALLS_OF_A_SCAN);
  });
});

describe('a gateway that closes', () => {
  it('cancels background scans, and releases the scan lock', async () => {
    const { serve, held, release } = holding(honest(() => before));
    const member = await open(serve);
    await release(member.list('limit=5'));
    await eventually(isPublished);
    member.clock.advance(LATE_MS);
    await member.list('limit=5');
    await eventually(() => held.length === 1);
    expect(await keysLike(':lock')).toHaveLength(1);
    await member.close();
    expect(member.calls.at(-1)!.signal.aborted).toBe(true);
    expect(await keysLike(':lock')).toEqual([]);
  });

  it('leaves no scan cache half published', async () => {
    const member = await open(honest(() => before));
    const answer = member.list('limit=5');
    await answer;
    await member.close();
    expect(await keysLike(':lock')).toEqual([]);
    const next = await open(honest(() => before));
    expect(await next.list('limit=5')).toBe(expected('limit=5', before));
  });
});
