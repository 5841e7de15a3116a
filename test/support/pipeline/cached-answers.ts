import type { Query } from '../../../src/contract/query.ts';
import type { Call } from '../../../src/policy/call.ts';
import {
  createCached,
  type Document,
  type Fill,
  type Freshness,
  type Question,
} from '../../../src/policy/cache-stage.ts';
import { createCache, type Cache } from '../../../src/store/cache/cache.ts';
import { createLocalPurges } from '../../../src/store/purges.ts';
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
export const callOf = (rest: Partial<Call> = {}) =>
  createCall({ operation: 'products.list', query: query(), ...rest });
/** What a fill finds. */
export const found = (body: string, freshSeconds = 60): Document => ({
  found: true,
  body,
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
    call: Question;
    signal: AbortSignal;
    finish: (document: Document) => void;
    fail: (error: Error) => void;
  }[] = [];
  const fill: Fill = (call, signal) =>
    new Promise((finish, fail) => {
      runs.push({ call, signal, finish, fail });
      signal.addEventListener('abort', () => fail(signal.reason as Error));
    });
  const deps = {
    ...{ cache, clock, digest },
    freshness: { notFound: notFoundSeconds, staleWhileRevalidate: 0, staleIfError: 0, ...stale },
    generation: () => ({ epoch: '', purges: 0 }),
    jitter: () => 0,
    background: (work: (signal: AbortSignal) => Promise<unknown>) =>
      void work(new AbortController().signal).catch(() => undefined),
  };
  return { runs, serve: later(createCached(deps, fill)) };
}

/** Lets everything run that can. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
