// Detects that this process or its Redis is overloaded, so that comparisons pause.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../../kernel/clock.ts';

/** Why a process counts as overloaded: the event loop is late, the heap is nearly full, or a Redis does not answer. */
export type OverloadCause = 'event_loop' | 'memory' | 'redis';

const RESOLUTION_MS = 10;
/** Above this delay of the event loop, or this part of the heap in use, the process counts as overloaded. */
const DELAY_MS_MAX = 50;
const HEAP_PART_MAX = 0.85;
const WINDOW_MS = 1_000;

/** Creates the sensor of a process. It measures the event loop from the first call of `current` on. */
export function createOverloadSensor({
  clock,
  isRedisReady,
}: {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether every Redis of the configuration answers. While the shared cache is missing, the sources get more calls anyway. */
  readonly isRedisReady: () => boolean;
}) {
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;
  let measuredMs = -Infinity;
  let found: OverloadCause | undefined;

  function start() {
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
    return histogram;
  }

  function measure(): OverloadCause | undefined {
    delays ??= start();
    // The histogram has the times between two ticks, which are at least `RESOLUTION_MS` apart.
    const delayMs = delays.percentile(99) / 1e6 - RESOLUTION_MS;
    delays.reset();
    if (delayMs > DELAY_MS_MAX) return 'event_loop';
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return used > limit * HEAP_PART_MAX ? 'memory' : undefined;
  }

  return {
    /** Why this process is overloaded; `undefined` if it is not. Measured at most once a second, so it is cheap to call. */
    current(): OverloadCause | undefined {
      const nowMs = clock.monotonic();
      if (nowMs - measuredMs >= WINDOW_MS) {
        measuredMs = nowMs;
        found = measure();
      }
      return isRedisReady() ? found : 'redis';
    },
    close: () => void delays?.disable(),
  };
}
