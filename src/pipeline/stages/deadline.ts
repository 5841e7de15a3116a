import type { Stage } from './call.ts';

/**
 * Creates the stage that bounds how long a caller waits: 504 once `deadlineMs` are spent. What is answered at once needs
 * no deadline, and a timer for each request would be felt.
 */
export function createDeadline(deadlineMs: number): Stage {
  return (next) =>
    function bounded(call) {
      const answer = next(call);
      if (answer instanceof Promise) call.startDeadline(deadlineMs);
      return answer;
    };
}
