import { createCachePrewarm } from '../../../../src/pipeline/stages/cache-prewarm.ts';
import { createCache } from '../../../../src/store/cache/cache.ts';
import { createLocalPurges } from '../../../../src/store/cache/purges.ts';
import {
  callOf,
  clock,
  found,
  openCached,
  query,
  settled,
} from '../../../support/pipeline/cached-answers.ts';

/** A cache that can be warmed, and what serves from it. */
function openWarmed() {
  const purges = createLocalPurges();
  const cache = createCache({
    ...{ clock, localBytes: 1024 ** 2, localSeconds: 5, purges },
    onEvent: () => undefined,
  });
  const begin = createCachePrewarm({
    ...{ cache, clock, purges, digest: 'd1', jitterPercent: 0, random: () => 0 },
    freshness: { notFound: 2, staleWhileRevalidate: 0, staleIfError: 0 },
  });
  const { serve, runs } = openCached({ cache });
  /** What is served without a call to the source; `undefined`: the source is asked. */
  async function served(): Promise<string | undefined> {
    const before = runs.length;
    const reply = serve(callOf());
    await settled();
    if (runs.length === before) return (await reply).body.toString();
    runs.at(-1)!.fail(new Error('not asked for'));
    await reply.catch(() => undefined);
    return undefined;
  }
  return { purges, begin: () => begin('products.list', query()), served };
}

const about = (body: string) => ({ ...found(body, 10), tags: ['products'] });

describe('a cache that is warmed', () => {
  it('serves what was put there as long as the source has said, from when it was read', async () => {
    const { begin, served } = openWarmed();
    const answer = about('1');
    clock.advance(4_000);
    await begin()(answer);
    expect(await served()).toBe('1');
    clock.advance(6_000);
    expect(await served()).toBeUndefined();
  });

  it('serves nothing that was purged after the source was asked', async () => {
    const { purges, begin, served } = openWarmed();
    const keep = begin();
    await purges.purge('products');
    await keep(about('1'));
    expect(await served()).toBeUndefined();
  });

  it('keeps what is newer than the answer', async () => {
    const { begin, served } = openWarmed();
    const [older, keep] = [about('1'), begin()];
    clock.advance(1_000);
    await begin()(about('2'));
    await keep(older);
    expect(await served()).toBe('2');
  });

  it('does not remember that a record is missing', async () => {
    const { begin, served } = openWarmed();
    await begin()({ found: false, tags: [] });
    expect(await served()).toBeUndefined();
  });
});
