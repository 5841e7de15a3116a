import type { Clock } from '../../kernel/clock.ts';
import { LRUCache } from 'lru-cache';
import type { Reservation, ReservationRequest, WindowCount } from './sub-windows.ts';

/** A point that was spent, or that there was none. */
export type Spent = {
  readonly admitted: boolean;
  /** In the tier's order. */
  readonly windows: readonly WindowCount[];
  /** Points that this process has set aside and that are free to the caller as well. */
  readonly setAside: number;
};

/** Spends points of callers, and sets several aside at once for those who ask often. */
export type TokenPrefetch = {
  /** At once where points are set aside; else by asking the store. Rejects where the store fails. */
  spend(subject: string): Spent | Promise<Spent>;
  /** Gives back what was set aside and cannot be spent any more. */
  returnUnused(): void;
};

/** Asks the store that all processes share. */
type Reserve = (subject: string, request: ReservationRequest) => Promise<Reservation>;

/** What is set aside for one caller, and who waits for more. */
type Lease = {
  left: number;
  /** By the monotonic clock. */
  validUntil: number;
  reservation: Reservation | undefined;
  /** How many points to set aside next: more while they are spent, fewer while they are not. */
  extra: number;
  waiting: Waiter[];
  asking: boolean;
};

type Waiter = { readonly resolve: (spent: Spent) => void; readonly reject: (error: unknown) => void };

const EXTRA_MAX = 10_000;
/** What is set aside is lost to other processes, and outlives a Redis that has gone: for a moment only. */
const VALID_MS_MAX = 500;
const SUBJECTS_MAX = 100_000;
/** A store that answers so slowly that its points have always expired is believed in the end. */
const ATTEMPTS_MAX = 3;

/**
 * Creates the leases of one tier. `now` is a monotonic clock, milliseconds; points may be spent `graceMs` longer than
 * the store says.
 */
export function createTokenPrefetch(
  reserve: Reserve,
  clock: Pick<Clock, 'monotonic'>,
  graceMs = 0,
): TokenPrefetch {
  const leases = new LRUCache<string, Lease>({ max: SUBJECTS_MAX });

  function leaseOf(subject: string): Lease {
    const known = leases.get(subject);
    if (known !== undefined) return known;
    const lease: Lease = {
      left: 0,
      validUntil: 0,
      reservation: undefined,
      extra: 0,
      waiting: [],
      asking: false,
    };
    leases.set(subject, lease);
    return lease;
  }

  /** What is left of a lease that nobody may spend any more, or that a new one takes the place of. */
  function takeUnspent(lease: Lease): ReservationRequest['unspent'] {
    const { left, reservation } = lease;
    lease.left = 0;
    return left === 0 || reservation === undefined ? undefined : { points: left, pieces: reservation.pieces };
  }

  /** Reserves once; `undefined` where the points could not be spent in the piece of time they are counted in. */
  async function attempt(subject: string, lease: Lease, last: boolean): Promise<Reservation | undefined> {
    const askedAt = clock.monotonic();
    const request = { needed: lease.waiting.length, extra: lease.extra, unspent: takeUnspent(lease) };
    const reservation = await reserve(subject, request);
    lease.reservation = reservation;
    lease.left = reservation.granted;
    // The store's moment lies behind the asking, so counted from there the points end early rather than late.
    lease.validUntil = askedAt + Math.min(VALID_MS_MAX, reservation.validMs + graceMs);
    return last || reservation.granted === 0 || clock.monotonic() < lease.validUntil
      ? reservation
      : undefined;
  }

  /** Answers the `count` who waited when the store was asked, and later ones as far as the points go. */
  function settle(lease: Lease, { windows }: Reservation, count: number): void {
    const answered = Math.max(count, Math.min(lease.left, lease.waiting.length));
    for (const waiter of lease.waiting.splice(0, answered)) {
      const admitted = lease.left > 0;
      if (admitted) lease.left -= 1;
      waiter.resolve({ admitted, windows, setAside: lease.left });
    }
  }

  async function ask(subject: string, lease: Lease): Promise<void> {
    lease.asking = true;
    try {
      while (lease.waiting.length > 0) {
        let reservation: Reservation | undefined;
        let count = 0;
        for (let attempts = 1; reservation === undefined; attempts += 1) {
          count = lease.waiting.length;
          reservation = await attempt(subject, lease, attempts === ATTEMPTS_MAX);
        }
        settle(lease, reservation, count);
      }
    } catch (error) {
      for (const waiter of lease.waiting.splice(0)) waiter.reject(error);
    } finally {
      lease.asking = false;
    }
  }

  return {
    spend(subject) {
      const lease = leaseOf(subject);
      const { reservation } = lease;
      if (lease.left > 0 && reservation !== undefined && clock.monotonic() < lease.validUntil) {
        lease.left -= 1;
        // Spent to the last: the next reservation may be larger.
        if (lease.left === 0) lease.extra = Math.min(EXTRA_MAX, lease.extra * 2);
        return { admitted: true, windows: reservation.windows, setAside: lease.left };
      }
      if (!lease.asking) lease.extra = nextExtra(lease, clock.monotonic());
      const spent = new Promise<Spent>((resolve, reject) => lease.waiting.push({ resolve, reject }));
      if (!lease.asking) void ask(subject, lease);
      return spent;
    },
    returnUnused() {
      const at = clock.monotonic();
      for (const [subject, lease] of leases.entries()) {
        if (lease.left === 0 || lease.asking || at < lease.validUntil) continue;
        lease.extra = 0;
        const unspent = takeUnspent(lease);
        // Lost points only mean that the caller is refused a little early.
        reserve(subject, { needed: 0, extra: 0, unspent }).catch(() => undefined);
      }
    },
  };
}

/** How many points to set aside for a caller who needs one at `at`. */
function nextExtra({ left, extra, reservation, validUntil }: Lease, at: number): number {
  if (reservation === undefined) return 0;
  // All spent before they expired: a caller who asks often. Otherwise so many were too many.
  return at < validUntil ? Math.max(1, extra) : Math.floor((extra - left) / 2);
}
