// The queue of a bulkhead: the calls that wait for a slot, and which of them comes next.

import type { GatewayError } from '../../../kernel/errors/fault.ts';
import { principalOf, type SlotCall } from './principal-slots.ts';
import { PRIORITIES } from '../../../kernel/upstream-call.ts';

/** A call that waits for a slot of a bulkhead. */
type WaitingCall = {
  readonly asking: SlotCall;
  /** Resolves once the call has its slot; rejects if it was refused or its signal aborted. */
  readonly entered: Promise<void>;
  readonly isWaiting: boolean;
  enter(): void;
  refuse(error: GatewayError): void;
  /** Refuses the call if it still waits after `ms`. */
  refuseAfter(ms: number, error: () => GatewayError): void;
};

/** How many slots a principal may take now. */
type Room = (principal: string) => number;

/** The waiting calls of one priority, by principal. The principal whose turn is next comes first. */
type Line = Map<string, Set<WaitingCall>>;

/**
 * Creates an empty priority queue. The most urgent calls come first. Within a priority, principals take turns, and the oldest
 * call of a principal comes first.
 */
export function createWaitingCalls() {
  const lines = new Map(PRIORITIES.map((priority) => [priority, new Map() as Line]));
  const inOrder = [...lines.values()];
  let size = 0;

  function callsOf(line: Line, principal: string): Set<WaitingCall> {
    const calls = line.get(principal) ?? new Set();
    line.set(principal, calls);
    return calls;
  }

  return {
    get size() {
      return size;
    },
    /** Adds a call. It removes itself when it enters, is refused, or its signal aborts. */
    add(asking: SlotCall): WaitingCall {
      const { signal } = asking;
      const principal = principalOf(asking);
      const line = lines.get(asking.priority) as Line;
      const calls = callsOf(line, principal);
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      let timer: NodeJS.Timeout | undefined;
      function leave(): void {
        calls.delete(call);
        if (calls.size === 0) line.delete(principal);
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
        asking,
        entered: promise,
        get isWaiting() {
          return calls.has(call);
        },
        enter() {
          leave();
          // The principal goes to the end of the line.
          if (line.delete(principal)) line.set(principal, calls);
          resolve(undefined);
        },
        refuse,
        refuseAfter(ms, error) {
          if (calls.has(call)) timer = setTimeout(() => refuse(error()), ms);
        },
      };
      calls.add(call);
      size += 1;
      signal.addEventListener('abort', abort, { once: true });
      return call;
    },
    /** How many calls of the principal of a call wait, this call included. */
    countOf: (asking: SlotCall) => lines.get(asking.priority)?.get(principalOf(asking))?.size ?? 0,
    /** How many calls may enter as far as `room` allows, if there are slots. */
    ready(room: Room): number {
      let count = 0;
      for (const line of inOrder)
        for (const [principal, calls] of line) count += Math.max(0, Math.min(calls.size, room(principal)));
      return count;
    },
    /** The next call that may enter; `undefined` if there is none. */
    first(room: Room): WaitingCall | undefined {
      for (const line of inOrder)
        for (const [principal, calls] of line) if (room(principal) > 0) return calls.values().next().value;
      return undefined;
    },
    /** The call to refuse first: in the lowest priority, the newest call of the principal with most waiting calls. */
    last(): WaitingCall | undefined {
      const line = inOrder.findLast(({ size: principals }) => principals > 0);
      const [most] = [...(line?.values() ?? [])].sort((a, b) => b.size - a.size);
      return [...(most ?? [])].at(-1);
    },
  };
}
