import type { OperatorTasks } from '../migration/operate/operator-tasks.ts';
import { createTrafficReplay, recordedQuery } from '../migration/replay/replay.ts';
import {
  createSourceComparisons,
  type SourceComparisons,
  type SourceComparisonsDeps,
} from '../migration/shadow/source-comparisons.ts';
import { createStrainSensor } from '../migration/shadow/strain.ts';
import type { RedisByRole } from '../store/redis/redis-roles.ts';

/** The comparisons of a process, and what operators start of them. */
export type OpenedShadows = Pick<SourceComparisons, 'offer' | 'serveBy' | 'close'> & {
  readonly engine: Pick<OperatorTasks, 'walk' | 'calibrate' | 'explain' | 'replay'>;
};

export type OpenShadowsDeps = Omit<SourceComparisonsDeps, 'redis' | 'strain'> & {
  readonly redis: RedisByRole;
};

/** Opens the comparisons of a process, for its life. */
export function openShadows({ redis, ...deps }: OpenShadowsDeps): OpenedShadows {
  const { clock, evidence } = deps;
  const connections = Object.values(redis);
  const isRedisReady = () => connections.every((connection) => connection?.isReady() !== false);
  const sensor = createStrainSensor({ clock, isRedisReady });
  const shadows = createSourceComparisons({
    ...deps,
    redis: redis.limits?.client,
    strain: () => sensor.current(),
  });
  const { walk, calibrate, explain, compareQuestion } = shadows;
  return {
    ...shadows,
    engine: {
      ...{ walk, calibrate },
      explain: async (resource, recorded, signal) => explain(resource, recordedQuery(recorded), signal),
      async replay(resource, queries, rps, run) {
        const ask = createTrafficReplay({
          ...{ clock, evidence },
          compareQuestion: (...question) => compareQuestion(resource, ...question),
        });
        return ask(queries, rps, run);
      },
    },
    async close() {
      sensor.close();
      await shadows.close();
    },
  };
}
