// The metrics of what a gateway stores, a part of metrics.ts: the Redis of each role, the answers in memory, and
// compression.

import type { Compression } from '../../store/cache/encoded-bodies.ts';
import {
  createCounter,
  createEventCounter,
  type MetricPlace,
  registerGauge,
} from '../../telemetry/metrics/metric-factories.ts';

const REDIS_STATES = ['ready', 'lost', 'full', 'refusing'] as const;
type RedisState = (typeof REDIS_STATES)[number];

/** Registers how the Redis of each role serves. The sums over several processes count processes. */
function createRedisMetrics(place: MetricPlace) {
  const watched = new Map<string, () => RedisState>();
  registerGauge(place, {
    name: 'portico_redis_connected',
    help: 'Processes with a working connection to the Redis of a role.',
    labelNames: ['role'],
    read: () => [...watched].map(([role, stateOf]) => [[role], stateOf() === 'lost' ? 0 : 1] as const),
  });
  registerGauge(place, {
    name: 'portico_redis_state',
    help: 'Processes by how the Redis of a role serves them: ready; lost; full, it takes no writes; refusing, it takes none for another reason.',
    labelNames: ['role', 'state'],
    read: () =>
      [...watched].flatMap(([role, stateOf]) => {
        const now = stateOf();
        return REDIS_STATES.map((state) => [[role, state], state === now ? 1 : 0] as const);
      }),
  });
  /** Reports at each scrape how the Redis of a role serves. */
  return { watchRedis: (role: string, stateOf: () => RedisState) => void watched.set(role, stateOf) };
}

/** What the answers in the memory of a process take. */
type LocalCache = { readonly bytes: number; readonly entries: number };

/** Registers how large the local level of the cache is. */
function createLocalCacheMetrics(place: MetricPlace) {
  let cache = (): LocalCache => ({ bytes: 0, entries: 0 });
  const show = (name: string, help: string, of: keyof LocalCache) =>
    registerGauge(place, { name, help, labelNames: [], read: () => [[[], cache()[of]]] });
  show('portico_cache_local_bytes', 'Bytes of the answers in memory, expired ones included.', 'bytes');
  show('portico_cache_local_entries', 'Answers in memory, expired ones included.', 'entries');
  /** Reports at each scrape what `next` has. */
  return { watchLocalCache: (next: typeof cache) => void (cache = next) };
}

/** Registers the metrics of the cache, of compression and of the connections to Redis. */
export function createStoreMetrics(place: MetricPlace) {
  const bodies = createCounter(place, {
    name: 'portico_compressions_total',
    help: 'Bodies compressed: made, useless (no smaller than before) or failed.',
    labelNames: ['coding', 'result'],
  });
  const seconds = createCounter(place, {
    name: 'portico_compression_seconds_total',
    help: 'Seconds that compression took on its thread.',
    labelNames: ['coding', 'result'],
  });
  const bytes = createCounter(place, {
    name: 'portico_compression_bytes_total',
    help: 'Bytes of the bodies that compression made smaller, before and after.',
    labelNames: ['coding', 'side'],
  });
  return {
    cacheEvent: createEventCounter(place, {
      name: 'portico_cache_events_total',
      help: 'Look-ups and writes of each cache level: hit, stale, miss, stored, failed, damaged.',
      labelNames: ['level', 'result'],
    }),
    compressed({ coding, result, bytesBefore, bytesAfter, seconds: took }: Compression) {
      bodies(coding, result).add();
      seconds(coding, result).add(took);
      if (result !== 'made') return;
      bytes(coding, 'before').add(bytesBefore);
      bytes(coding, 'after').add(bytesAfter);
    },
    ...createLocalCacheMetrics(place),
    requestTraceWritten: createEventCounter(place, {
      name: 'portico_request_traces_total',
      help: 'Requests that failed, were slow or were refused, for the look-up over all gateways: written; left_out, too many came in a second; lost, Redis took none.',
      labelNames: ['kind', 'outcome'],
    }),
    ...createRedisMetrics(place),
  };
}
