import { Gauge, type Registry } from 'prom-client';
import type { Compression } from '../store/cache/content-encodings.ts';
import { createCounter, createEventCounter } from './counters.ts';

/** What is counted of the cache, of compression and of the connections to Redis. */
export type StoreMetrics = {
  /** A look-up or a write of one level of the cache. */
  readonly cacheEvent: (level: string, result: string) => void;
  /** A body that was compressed. */
  readonly compressed: (compression: Compression) => void;
  /** Shows at each scrape whether the Redis connection of a role accepts commands. */
  readonly watchRedis: (role: string, isReady: () => boolean) => void;
};

/** Registers the metrics of the stores. */
export function createStoreMetrics(registry: Registry): StoreMetrics {
  const watched = new Map<string, () => boolean>();
  new Gauge({
    name: 'portico_redis_connected',
    help: 'Processes with a working connection to the Redis of a role.',
    labelNames: ['role'],
    registers: [registry],
    collect() {
      for (const [role, isReady] of watched) this.labels(role).set(isReady() ? 1 : 0);
    },
  });
  const bodies = createCounter(registry, {
    name: 'portico_compressions_total',
    help: 'Bodies compressed: made, useless (no smaller than before) or failed.',
    labelNames: ['coding', 'result'],
  });
  const seconds = createCounter(registry, {
    name: 'portico_compression_seconds_total',
    help: 'Seconds that compression took on its thread.',
    labelNames: ['coding', 'result'],
  });
  const bytes = createCounter(registry, {
    name: 'portico_compression_bytes_total',
    help: 'Bytes of the bodies that compression made smaller, before and after.',
    labelNames: ['coding', 'side'],
  });
  return {
    cacheEvent: createEventCounter(registry, {
      name: 'portico_cache_events_total',
      help: 'Look-ups and writes of each cache level: hit, stale, miss, stored, failed, damaged.',
      labelNames: ['level', 'result'],
    }),
    compressed({ coding, result, bytesBefore, bytesAfter, seconds: took }) {
      bodies(coding, result).add();
      seconds(coding, result).add(took);
      if (result !== 'made') return;
      bytes(coding, 'before').add(bytesBefore);
      bytes(coding, 'after').add(bytesAfter);
    },
    watchRedis: (role, isReady) => void watched.set(role, isReady),
  };
}
