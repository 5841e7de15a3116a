import { setTimeout as sleep } from 'node:timers/promises';

/** How long a test waits for something before it fails, in ms. */
const WITHIN_MS = 10_000;
const EVERY_MS = 5;

/** How long to wait, and how often to look, in ms. */
export type Wait = { readonly withinMs?: number; readonly everyMs?: number };

const isThere = <T>(value: T | Falsy): value is T => value !== undefined && value !== null && value !== false;
type Falsy = undefined | null | false;

/**
 * Waits for something that happens by itself: looks every few milliseconds until `check` gives a value other than
 * `undefined`, `null` or `false`, and resolves with that value. A check may also throw, as `expect` does. After ten
 * seconds it rejects with the last error.
 */
export async function eventually<T>(
  check: () => T | Falsy | Promise<T | Falsy>,
  { withinMs = WITHIN_MS, everyMs = EVERY_MS }: Wait = {},
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    let failure: unknown;
    try {
      const value = await check();
      if (isThere(value)) return value;
    } catch (error) {
      failure = error;
    }
    if (performance.now() - startedAt > withinMs)
      throw new Error(`not within ${withinMs} ms: ${String(check)}`, { cause: failure });
    await sleep(everyMs);
  }
}

/** Waits for something that its owner announces: `announce` makes every waiting `until` look again. */
export type Condition = {
  announce(): void;
  /** Resolves with the first value of `check` that is there, now or later. Rejects after ten seconds with its text. */
  until<T>(check: () => T | Falsy, withinMs?: number): Promise<T>;
};

/** A condition variable: nobody looks unless something has changed. */
export function createCondition(): Condition {
  const waiting = new Set<() => void>();
  return {
    announce: () => waiting.forEach((look) => look()),
    until: (check, withinMs = WITHIN_MS) =>
      new Promise((resolve, reject) => {
        function end(): void {
          clearTimeout(timer);
          waiting.delete(look);
        }
        function look(): void {
          try {
            const value = check();
            if (!isThere(value)) return;
            end();
            resolve(value);
          } catch (error) {
            end();
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        }
        const tooLate = () => {
          waiting.delete(look);
          reject(new Error(`not within ${withinMs} ms: ${String(check)}`));
        };
        // What a test no longer waits for must not keep its process alive.
        const timer = setTimeout(tooLate, withinMs).unref();
        waiting.add(look);
        look();
      }),
  };
}
