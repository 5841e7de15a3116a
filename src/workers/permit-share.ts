import type { Share, ShareUser } from '../upstream/bulkhead.ts';
import type { PermitMessage } from './permits.ts';

/** A worker's share of one source, and what its primary says of it. */
export type PermitShare = Share & { handle(message: PermitMessage): void };

/** Creates a worker's share of the calls that a source takes at once. It starts with none; `send` reaches the primary. */
export function createPermitShare(source: string, send: (message: PermitMessage) => void): PermitShare {
  let size = 0;
  let wanted = false;
  let recalled: 'no' | 'gently' | 'firmly' = 'no';
  let user: ShareUser = { active: 0, waiting: 0, grown: () => undefined };

  function giveBack(count: number): void {
    size -= count;
    recalled = 'no';
    send({ kind: 'permit-back', source, count });
  }

  return {
    get size() {
      return size;
    },
    lacks() {
      if (wanted) return;
      wanted = true;
      send({ kind: 'permit-want', source });
    },
    eased() {
      if (recalled === 'firmly' || (recalled === 'gently' && user.waiting === 0)) giveBack(1);
    },
    usedBy(given) {
      user = given;
    },
    handle(message) {
      if (message.kind === 'permit') {
        wanted = false;
        size += 1;
        user.grown();
      }
      if (message.kind !== 'permit-recall') return;
      if (size > user.active) giveBack(size - user.active);
      else if (size > 0) recalled = message.firm ? 'firmly' : 'gently';
    },
  };
}
