import { Gauge, type Registry } from 'prom-client';
import type { Compression } from '../store/cache/encoded-bodies.ts';
import { createCounter, createEventCounter } from './metric-factories.ts';

/** Registers the metrics of the cache, of compression and of the connections to Redis. */
export function createStoreMetrics(registry: Registry) {
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
    compressed({ coding, result, bytesBefore, bytesAfter, seconds: took }: Compression) {
      bodies(coding, result).add();
      seconds(coding, result).add(took);
      if (result !== 'made') return;
      bytes(coding, 'before').add(bytesBefore);
      bytes(coding, 'after').add(bytesAfter);
    },
    /** Reports at each scrape whether the Redis connection of a role accepts commands. */
    watchRedis: (role: string, isReady: () => boolean) => void watched.set(role, isReady),
  };
}
