import { runInNewContext } from 'node:vm';

/** Longer than any machine takes for what is done at once, however busy it is: it only ends a test that would hang. */
const PATIENCE_MS = 60_000;

/**
 * Does some work, and throws where it does not come to an end. Its input is so long that work which grows faster than
 * the input does would take minutes: that it ends is all there is to look at, not how long it took.
 */
export function finishes<T>(work: () => T): T {
  let value: T | undefined;
  const run = () => void (value = work());
  runInNewContext('run()', { run }, { timeout: PATIENCE_MS });
  return value as T;
}
