// The worker's end of the permits by which workers share `net.concurrency` of a source. Each concurrent call needs a permit,
// which the primary process lends to the worker (`permit-pool.ts`).

import type { Quota, QuotaUser } from '../../../source/client/bulkhead/bulkhead.ts';
import type { PermitMessage } from './permit-pool.ts';

/** The permits of one worker for one source. `handle` takes the messages of its primary. */
export type PermitQuota = Quota & { handle(message: PermitMessage): void };

/** Creates the quota of one worker, which has no permit at first. `send` sends a message to the primary. */
export function createPermitQuota(source: string, send: (message: PermitMessage) => void): PermitQuota {
  let size = 0;
  let wanted = false;
  /** When a permit returns to the primary: at the next release, or at the next release while no call waits. */
  let recall: 'none' | 'when idle' | 'next release' = 'none';
  let user: QuotaUser = { active: 0, waiting: 0, onGrow: () => undefined };

  function returnPermits(count: number): void {
    size -= count;
    recall = 'none';
    send({ kind: 'permit-back', source, count });
  }

  return {
    get size() {
      return size;
    },
    requestMore() {
      if (wanted) return;
      wanted = true;
      send({ kind: 'permit-want', source });
    },
    onRelease() {
      if (recall === 'next release' || (recall === 'when idle' && user.waiting === 0)) returnPermits(1);
    },
    attach(given) {
      user = given;
    },
    handle(message) {
      if (message.kind === 'permit') {
        wanted = false;
        size += 1;
        user.onGrow();
      }
      if (message.kind !== 'permit-recall') return;
      if (size > user.active) returnPermits(size - user.active);
      else if (size > 0) recall = message.firm ? 'next release' : 'when idle';
    },
  };
}
