import type { GatewayError } from '../../errors/fault.ts';
import { PRIORITIES, type Priority } from '../../kernel/upstream-call.ts';

/** A call that waits for a slot of a bulkhead. */
export type WaitingCall = {
  /** Resolves once the call has its slot; rejects if it was refused or its signal aborted. */
  readonly entered: Promise<void>;
  enter(): void;
  refuse(error: GatewayError): void;
  /** Refuses the call if it still waits after `ms`. */
  refuseAfter(ms: number, error: () => GatewayError): void;
};

/** A priority queue: the most urgent call comes first; within a priority, the oldest. */
export type WaitingCalls = {
  readonly size: number;
  /** Adds a call; it removes itself when it enters, is refused, or its signal aborts. */
  add(priority: Priority, signal: AbortSignal): WaitingCall;
  first(): WaitingCall | undefined;
  /** The newest call of the lowest priority. */
  last(): WaitingCall | undefined;
};

/** Creates an empty queue. */
export function createWaitingCalls(): WaitingCalls {
  const lines = new Map(PRIORITIES.map((priority) => [priority, new Set<WaitingCall>()]));
  const occupied = () => [...lines.values()].filter((line) => line.size > 0);
  let size = 0;

  return {
    get size() {
      return size;
    },
    add(priority, signal) {
      const line = lines.get(priority) as Set<WaitingCall>;
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      let timer: NodeJS.Timeout | undefined;
      function leave(): void {
        line.delete(call);
        size -= 1;
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      }
      function refuse(error: unknown): void {
        leave();
        reject(error);
      }
      const abort = () => refuse(signal.reason);
      const call: WaitingCall = {
        entered: promise,
        enter() {
          leave();
          resolve(undefined);
        },
        refuse,
        refuseAfter(ms, error) {
          if (line.has(call)) timer = setTimeout(() => refuse(error()), ms);
        },
      };
      line.add(call);
      size += 1;
      signal.addEventListener('abort', abort, { once: true });
      return call;
    },
    first: () => occupied()[0]?.values().next().value,
    last: () => [...(occupied().at(-1) ?? [])].at(-1),
  };
}
