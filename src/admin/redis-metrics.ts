import { Gauge, type Registry } from 'prom-client';

/** What is told of the connections to Redis. */
export type RedisMetrics = {
  /** Has each scrape tell whether the connection that a role uses accepts commands. */
  readonly watchRedis: (role: string, isReady: () => boolean) => void;
};

/** Makes the metrics of the connections to Redis. */
export function createRedisMetrics(registry: Registry): RedisMetrics {
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
  return { watchRedis: (role, isReady) => void watched.set(role, isReady) };
}
