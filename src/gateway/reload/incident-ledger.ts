// Keeps the incidents of a gateway, merges them with those of its fleet, and sends their events to webhooks.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { resultWithin } from '../../kernel/result-within.ts';
import type { Fleet } from '../../store/fleet/fleet.ts';
import {
  updateFleetIncidents,
  type FleetIncident,
  type IncidentEvent,
  type IncidentReading,
  type IncidentScope,
  type ScopedIncidents,
  type SeenIncidents,
  type GatewayIncidents,
  type ProcessIncidents,
  tellIncidents,
  withKept,
} from '../../telemetry/incidents/fleet-incidents.ts';
import type { IncidentStart } from '../../telemetry/incidents/incident-tracker.ts';

/** What a ledger needs. */
export type IncidentLedgerDeps = {
  readonly clock: Pick<Clock, 'now'>;
  /** Asks each process of this gateway for the incidents that it sees. `open`: the incidents that are open already. */
  readonly seen: (open: readonly IncidentStart[]) => Promise<SeenIncidents>;
  /** The scope of the incidents if there is no fleet, or while Redis is out of reach. */
  readonly alone: IncidentScope;
  /** Absent: there is no Redis for the cache. */
  readonly fleet: Fleet | undefined;
  /** Sends an event to the receivers of webhooks. */
  readonly tell: (event: IncidentEvent, incident: FleetIncident) => void;
};

const TURN_MS = 2_000;
/** How long a person waits for what the other gateways see. */
const READ_MS = 1_500;
/** A process that has not answered for this time counts as ended. */
const SILENT_MS = 15_000;
/** How often a gateway without incidents reads the incidents of the fleet. */
const IDLE_MS = 10_000;

/** Adds the last answers of processes that do not answer now: a process that is busy for some seconds has not ended. */
function createLastSaid(clock: Pick<Clock, 'now'>) {
  const last = new Map<string, { readonly at: number; readonly said: ProcessIncidents }>();
  return (answers: readonly ProcessIncidents[]): readonly ProcessIncidents[] => {
    const now = clock.now();
    for (const said of answers) last.set(said.process, { at: now, said });
    for (const [process, { at }] of last) if (now - at > SILENT_MS) last.delete(process);
    return [...last.values()].map(({ said }) => said);
  };
}

/** Creates the function that updates the incidents of the fleet from those that a gateway (`own`) and all gateways (`seen`) see. */
const createFleetUpdate =
  (gateway: string, clock: Pick<Clock, 'now'>) =>
  (
    before: readonly FleetIncident[],
    own: readonly ProcessIncidents[],
    seen: readonly GatewayIncidents[] = [],
  ) => {
    const others = seen.filter((one) => one.gateway !== gateway).flatMap(({ processes }) => processes);
    return updateFleetIncidents(before, [...own, ...others], clock.now());
  };

/**
 * Creates the ledger of the incidents of a gateway and its fleet. From `start` on, it looks every two seconds, and tells when
 * an incident opens, worsens or ends.
 */
export function createIncidentLedger({ clock, seen, alone, fleet, tell }: IncidentLedgerDeps) {
  const gateway = randomUUID();
  const updateFleet = createFleetUpdate(gateway, clock);
  const withSilent = createLastSaid(clock);
  let known: readonly FleetIncident[] = [];
  let scope = alone;
  let lookedAt = -Infinity;
  let underWay: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function notify(next: readonly FleetIncident[]): readonly FleetIncident[] {
    const { incidents, due } = tellIncidents(next, clock.now());
    for (const [event, incident] of due) tell(event, incident);
    return incidents;
  }

  async function turnInFleet(to: Fleet, own: readonly ProcessIncidents[]): Promise<void> {
    if (own.some(({ incidents }) => incidents.length > 0))
      await to.writeIncidents({ gateway, at: clock.now(), processes: own });
    const isMine = await to.takeIncidents(TURN_MS);
    const before = withKept(await to.knownIncidents(), scope === 'fleet' ? [] : known);
    scope = 'fleet';
    known = isMine ? notify(updateFleet(before, own, await to.seenIncidents())) : before;
    if (isMine && known.length > 0) await to.keepIncidents(known);
  }

  async function seenNow() {
    const open = known.filter(({ isOpen }) => isOpen);
    const { processes, silent } = await seen(
      open.map(({ kind, subject, since, seen: last }) => ({ kind, subject, since, seen: last })),
    );
    return { own: withSilent(processes), silent };
  }

  async function turn(): Promise<void> {
    const { own } = await seenNow();
    const isBusy = known.some(({ isOpen }) => isOpen) || own.some(({ incidents }) => incidents.length > 0);
    if (fleet !== undefined && !isBusy && clock.now() - lookedAt < IDLE_MS) return;
    lookedAt = clock.now();
    try {
      if (fleet !== undefined) {
        await turnInFleet(fleet, own);
        return;
      }
    } catch {
      // Until Redis is back, each gateway keeps and tells only its own incidents.
    }
    scope = alone;
    known = notify(updateFleet(known, own));
  }

  /** Takes a turn, unless one is still running. */
  function takeTurn(): void {
    underWay ??= turn()
      .catch(() => undefined)
      .finally(() => (underWay = undefined));
  }

  return {
    start: (): void => void (timer ??= setInterval(takeTurn, TURN_MS).unref()),
    close: (): void => clearInterval(timer),
    /** The incidents that were known at the last turn. */
    latest: (): ScopedIncidents => ({ scope, incidents: known }),
    /**
     * Reads the incidents now, without keeping them or telling receivers. The processes of this gateway and the fleet are asked
     * at the same time, and once each.
     */
    read: async (): Promise<IncidentReading> => {
      const [{ own, silent }, before, others] = await Promise.all([
        seenNow(),
        fleet && resultWithin(READ_MS, fleet.knownIncidents()),
        fleet && resultWithin(READ_MS, fleet.seenIncidents()),
      ]);
      if (before !== undefined && others !== undefined)
        return { scope: 'fleet', silent, incidents: updateFleet(before, own, others) };
      return { scope: alone, silent, incidents: updateFleet(known, own) };
    },
  };
}
