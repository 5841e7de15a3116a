// Creates, once per process and kept over reloads, what compares the two sources of each migration, and the tasks of operators
// that need it (walk, edge cases, explain, replay).

import type { OperatorTasks } from '../../migration/operate/operator-tasks.ts';
import { createTrafficReplay, parseRecordedQuery } from '../../migration/replay/replay.ts';
import { createSourceComparisons, type SourceComparisonsDeps } from '../../migration/source-comparisons.ts';
import { createOverloadSensor } from '../../migration/shadow/overload-sensor.ts';
import type { RedisByRole } from '../../store/redis/redis-roles.ts';

/** The comparisons of a process, and the tasks of operators that compare. */
export type OpenedComparisons = ReturnType<typeof openComparisons>;

/**
 * What comparisons need. Their calls are counted in the Redis of the limits. While any Redis is not ready, the process counts
 * as overloaded, and comparisons pause.
 */
export type OpenComparisonsDeps = Omit<SourceComparisonsDeps, 'redis' | 'overload'> & {
  readonly redis: RedisByRole;
};

/** Opens the comparisons of a process. */
export function openComparisons({ redis, ...deps }: OpenComparisonsDeps) {
  const { clock, counts } = deps;
  const connections = Object.values(redis);
  const isRedisReady = () => connections.every((connection) => connection?.isReady() !== false);
  const sensor = createOverloadSensor({ clock, isRedisReady });
  const comparisons = createSourceComparisons({
    ...deps,
    redis: redis.limits?.client,
    overload: () => sensor.current(),
  });
  const { walk, compareEdgeCases, explain, compareQuestion } = comparisons;
  const operatorTasks: Pick<OperatorTasks, 'walk' | 'compareEdgeCases' | 'explain' | 'replay'> = {
    walk,
    compareEdgeCases,
    explain: async (resource, recorded, signal) =>
      explain(resource, parseRecordedQuery(recorded, comparisons.resourceOf(resource)), signal),
    async replay(resource, queries, rps, run) {
      const ask = createTrafficReplay({
        ...{ clock, counts, resource: comparisons.resourceOf(resource) },
        compareQuestion: (...question) => compareQuestion(resource, ...question),
      });
      return ask(queries, rps, run);
    },
  };
  return {
    ...comparisons,
    operatorTasks,
    async close() {
      sensor.close();
      await comparisons.close();
    },
  };
}
