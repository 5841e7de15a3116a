import { fault, type GatewayError } from '../errors/fault.ts';
import { PRIORITIES, type Priority } from '../kernel/upstream-call.ts';

/**
 * Asks for the right to one more call: 0 where it is given, else the milliseconds after which to ask again. It does not
 * fail.
 */
export type TakeToken = () => number | Promise<number>;

/** A process's part of the calls that several may have under way together; it changes while they work. */
export type Share = {
  /** How many calls this process may have under way now. */
  readonly size: number;
  /** More wait than `size` allows; said again, it is the same wish. */
  requestMore(): void;
  /** A call has ended: now `size` may shrink. */
  onRelease(): void;
  /** Told once, at the start, who uses it; `grown` is called whenever `size` has grown. */
  attach(user: ShareUser): void;
};

/** Whoever uses a share. */
export type ShareUser = { readonly active: number; readonly waiting: number; readonly onGrow: () => void };

/** What a source lets be asked at once, and what may wait for it. */
export type BulkheadOptions = {
  readonly concurrency: number;
  /** Absent where this process has all of `concurrency` for itself. */
  readonly share?: Share | undefined;
  readonly queue: { readonly max: number; readonly time: number };
  readonly rate?: TakeToken | undefined;
  /** How fast `rate` lets all processes ask together, for those who are told when to come again. */
  readonly perSecond?: number | undefined;
};

/** Gives calls their places: in the order of their classes, and within a class in the order in which they came. */
export type Bulkhead = {
  /**
   * Does `work` once there is a place for it. Rejects with the signal's reason where that aborts first.
   * @throws GatewayError `overloaded` where too many wait, or a caller has waited for too long
   */
  run<T>(priority: Priority, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  readonly active: number;
  readonly waiting: number;
};

type Waiter = { readonly enter: () => void; readonly refuse: (error: GatewayError) => void };

/** Work that somebody waits for on the other side. A scan has a budget of time of its own. */
const IMPATIENT: ReadonlySet<Priority> = new Set<Priority>(['caller', 'refresh']);
const RETRY_AFTER_SECONDS_MAX = 60;
/** How much of the mean time of a call is that of the last one. */
const NEWEST = 0.1;

/** Creates the places of one source. */
export function createBulkhead({
  concurrency,
  share,
  queue,
  rate,
  perSecond = Infinity,
}: BulkheadOptions): Bulkhead {
  const lines = new Map(PRIORITIES.map((priority) => [priority, new Set<Waiter>()]));
  let active = 0;
  let waiting = 0;
  /** How many rights were asked for and not answered yet. */
  let asking = 0;
  let pausing = false;
  let meanMs = 0;

  const size = () => share?.size ?? concurrency;
  const isFree = () => active < size();

  /** Whoever comes again then finds those gone who wait now. */
  function overloaded(detail: string): GatewayError {
    const busyFor = (waiting * meanMs) / Math.max(1, size()) / 1_000;
    const seconds = Math.ceil(Math.max(1, busyFor, waiting / perSecond));
    const retryAfterSeconds = Math.min(RETRY_AFTER_SECONDS_MAX, seconds);
    return fault('overloaded', { detail, retryAfterSeconds });
  }

  function enterNext(): void {
    for (const line of lines.values())
      for (const waiter of line) {
        waiter.enter();
        return;
      }
  }

  /** Gives free places away, as fast as the source may be asked. */
  function fill(): void {
    while (!pausing && waiting > asking && active + asking < size()) {
      const answer = rate?.() ?? 0;
      if (answer === 0) enterNext();
      else if (typeof answer === 'number') pause(answer);
      else {
        asking += 1;
        void answer.then(useRight);
      }
    }
    if (waiting > 0 && !isFree()) share?.requestMore();
  }

  /** Asks for nothing for a while, and then again. */
  function pause(ms: number): void {
    if (pausing) return;
    pausing = true;
    const over = () => {
      pausing = false;
      fill();
    };
    setTimeout(over, ms).unref();
  }

  function useRight(waitMs: number): void {
    asking -= 1;
    if (waitMs > 0) pause(waitMs);
    // Where everybody has gone by now, the right is lost.
    else if (isFree()) enterNext();
    fill();
  }

  /** Refuses the one who came last of the class that matters least. */
  function refuseLast(): void {
    const line = [...lines.values()].findLast(({ size }) => size > 0);
    [...(line ?? [])].at(-1)?.refuse(overloaded('as many calls wait for the source as net.queue.max allows'));
  }

  function place(priority: Priority, signal: AbortSignal): Promise<void> {
    const line = lines.get(priority) as Set<Waiter>;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const leave = () => {
        line.delete(waiter);
        waiting -= 1;
        clearTimeout(timer);
        signal.removeEventListener('abort', gone);
      };
      const gone = () => {
        leave();
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        enter() {
          leave();
          active += 1;
          resolve();
        },
        refuse(error) {
          leave();
          reject(error);
        },
      };
      line.add(waiter);
      waiting += 1;
      signal.addEventListener('abort', gone, { once: true });
      fill();
      if (waiting > queue.max) refuseLast();
      const late = () => waiter.refuse(overloaded('no place was free within net.queue.time'));
      if (line.has(waiter) && IMPATIENT.has(priority)) timer = setTimeout(late, queue.time);
    });
  }

  const places: Bulkhead & ShareUser = {
    async run(priority, signal, work) {
      signal.throwIfAborted();
      if (rate === undefined && waiting === 0 && isFree()) active += 1;
      else await place(priority, signal);
      const start = performance.now();
      try {
        return await work();
      } finally {
        meanMs += (performance.now() - start - meanMs) * (meanMs === 0 ? 1 : NEWEST);
        active -= 1;
        share?.onRelease();
        fill();
      }
    },
    get active() {
      return active;
    },
    get waiting() {
      return waiting;
    },
    onGrow: fill,
  };
  share?.attach(places);
  return places;
}
