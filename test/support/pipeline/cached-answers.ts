import { createBackgroundTasks } from '../../../src/kernel/background-tasks.ts';
import { queryKey, type Query } from '../../../src/contract/query.ts';
import type { Call, SourceAnswer, SourceCall, SourceHandler } from '../../../src/pipeline/stages/call.ts';
import type { Freshness } from '../../../src/pipeline/stages/cache-fill.ts';
import { createCacheStage } from '../../../src/pipeline/stages/cache-stage.ts';
import { createCache, type Cache } from '../../../src/store/cache/cache.ts';
import { createLocalPurges } from '../../../src/store/cache/purges.ts';
import { createCall, later } from './call.ts';
import { createManualClock } from '../time/manual-clock.ts';
import { parseList } from './parse-as.ts';

/** The clock of every cached handler here. */
export const clock = createManualClock();
/** A cache of this process alone. */
export const newCache = () =>
  createCache({
    ...{ clock, localBytes: 1024 ** 2, localSeconds: 5 },
    purges: createLocalPurges(),
    onEvent: () => undefined,
  });

/** A query for products. */
export const query = (raw = ''): Query => parseList('products.list', raw);
/** A call for products. */
export function callOf({ query: asked = query(), ...rest }: Partial<Call> = {}): Call {
  return createCall({ operation: 'products.list', query: asked, queryKey: queryKey(asked), ...rest });
}
/** What a fill finds. */
export const found = (body: string, freshSeconds = 60): SourceAnswer => ({
  found: true,
  body: Buffer.from(body),
  storedAt: clock.now(),
  freshSeconds,
  tags: [],
});

/** A cached handler over a fill that counts its runs and answers when it is told to. */
export function openCached({
  cache = newCache(),
  digest = 'd1',
  notFoundSeconds = 2,
  stale = {},
}: { cache?: Cache; digest?: string; notFoundSeconds?: number; stale?: Partial<Freshness> } = {}) {
  const runs: {
    call: SourceCall;
    signal: AbortSignal;
    finish: (answer: SourceAnswer) => void;
    fail: (error: Error) => void;
  }[] = [];
  const source: SourceHandler = (call) =>
    new Promise((finish, fail) => {
      const { signal } = call;
      runs.push({ call, signal, finish, fail });
      signal.addEventListener('abort', () => fail(signal.reason as Error));
    });
  const stage = createCacheStage({
    ...{ cache, clock, digest },
    freshness: { notFound: notFoundSeconds, staleWhileRevalidate: 0, staleIfError: 0, ...stale },
    purges: { current: () => ({ epoch: '', purges: 0 }) },
    jitterPercent: 0,
    random: () => 0,
    tasks: createBackgroundTasks(),
    deadlineMs: 60_000,
  });
  return { runs, serve: later(stage(source)) };
}

/** Lets everything run that can. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
