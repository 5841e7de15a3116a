import { setTimeout as delay } from 'node:timers/promises';

/** The result of some work; `undefined` if it fails or takes longer than `ms`. The work itself goes on. */
export function resultWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const result = work.catch(() => undefined);
  return Promise.race([result, delay(ms, undefined, { ref: false })]);
}
