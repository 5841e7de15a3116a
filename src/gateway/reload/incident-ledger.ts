import type { Clock } from '../../kernel/clock.ts';
import type { FleetIncidentStore } from '../../store/fleet/fleet-incident-store.ts';
import {
  updateFleetIncidents,
  type FleetIncident,
  type IncidentEvent,
  type IncidentScope,
  type ScopedIncidents,
  type ProcessIncidents,
  tellIncidents,
  withKept,
} from '../../telemetry/incidents/fleet-incidents.ts';

/** Keeps the incidents of a fleet, and tells when one opens, worsens or ends. */
export type IncidentLedger = ReturnType<typeof createIncidentLedger>;

/** Without `store`, the incidents are those of `seen` alone. */
export type IncidentLedgerDeps = {
  readonly clock: Pick<Clock, 'now'>;
  /** What this process sees. */
  readonly own: () => ProcessIncidents;
  /** What the workers of this process see; absent: it has none. */
  readonly workers?: (() => Promise<readonly ProcessIncidents[]>) | undefined;
  readonly store?: FleetIncidentStore | undefined;
  /** Whether it is the turn of this process to keep what the fleet knows; absent: always. */
  readonly take?: ((everyMs: number) => Promise<boolean>) | undefined;
  /** Tells receivers of webhooks; absent: another process does. */
  readonly tell?: ((event: IncidentEvent, incident: FleetIncident) => void) | undefined;
};

const TURN_MS = 2_000;
/** A process that sees nothing looks this often whether the fleet does. */
const IDLE_MS = 10_000;

/** Creates the ledger. `turn` is to be called each two seconds. */
export function createIncidentLedger({ clock, own, workers, store, take, tell }: IncidentLedgerDeps) {
  const alone = workers === undefined ? 'process' : 'workers';
  let known: readonly FleetIncident[] = [];
  let scope = alone as IncidentScope;
  let lookedAt = -Infinity;
  let underWay: Promise<void> | undefined;

  async function seenHere(): Promise<readonly ProcessIncidents[]> {
    return [own(), ...((await workers?.()) ?? [])];
  }

  function notify(next: readonly FleetIncident[]): readonly FleetIncident[] {
    if (tell === undefined) return next;
    const { incidents, due } = tellIncidents(next, clock.now());
    for (const [event, incident] of due) tell(event, incident);
    return incidents;
  }

  /** Without Redis, or while it is out of reach. */
  async function turnAlone(): Promise<void> {
    scope = alone;
    known = notify(updateFleetIncidents(known, await seenHere(), clock.now()));
  }

  async function turnInFleet(fleet: FleetIncidentStore): Promise<void> {
    const mine = own();
    if (mine.incidents.length > 0) await fleet.write(mine);
    const isMine = (await take?.(TURN_MS)) ?? true;
    const before = withKept(await fleet.known(), scope === 'fleet' ? [] : known);
    scope = 'fleet';
    if (!isMine) {
      known = before;
      return;
    }
    const next = updateFleetIncidents(before, await fleet.seen(), clock.now());
    known = notify(next);
    if (next.length > 0) await fleet.keep(known);
  }

  async function turn(): Promise<void> {
    if (store === undefined) {
      await turnAlone();
      return;
    }
    const isBusy = own().incidents.length > 0 || known.some(({ isOpen }) => isOpen);
    if (!isBusy && clock.now() - lookedAt < IDLE_MS) return;
    lookedAt = clock.now();
    await turnInFleet(store).catch(turnAlone);
  }

  return {
    /** Does what is due, once at a time; never rejects. */
    turn: (): Promise<void> => {
      underWay ??= turn()
        .catch(() => undefined)
        .finally(() => (underWay = undefined));
      return underWay;
    },
    /** What was known at the last turn. */
    latest: (): ScopedIncidents => ({ scope, incidents: known }),
    /** What is known now, without taking note of it. */
    read: async (): Promise<ScopedIncidents> => {
      const now = clock.now();
      try {
        if (store === undefined) throw new Error('there is no Redis');
        const [before, seen] = await Promise.all([store.known(), store.seen()]);
        const mine = own();
        const others = seen.filter(({ process }) => process !== mine.process);
        return { scope: 'fleet', incidents: updateFleetIncidents(before, [mine, ...others], now) };
      } catch {
        return { scope: alone, incidents: updateFleetIncidents(known, await seenHere(), now) };
      }
    },
  };
}
