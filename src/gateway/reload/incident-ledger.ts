import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Fleet } from '../../store/fleet/fleet.ts';
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
import type { IncidentStart } from '../../telemetry/incidents/incident-tracker.ts';

/** What a ledger is kept by. */
export type IncidentLedgerDeps = {
  readonly clock: Pick<Clock, 'now'>;
  /** What each process of this gateway sees, which is told what is open already. */
  readonly seen: (open: readonly IncidentStart[]) => Promise<readonly ProcessIncidents[]>;
  /** Whose incidents these are, where there is no fleet, or while it is out of reach. */
  readonly alone: IncidentScope;
  /** Absent: there is no Redis for the cache. */
  readonly fleet: Fleet | undefined;
  /** Tells receivers of webhooks. */
  readonly tell: (event: IncidentEvent, incident: FleetIncident) => void;
};

const TURN_MS = 2_000;
/** A process that has said nothing for longer has ended. */
const SILENT_MS = 15_000;
/** A gateway that sees nothing looks this often whether the fleet does. */
const IDLE_MS = 10_000;

/** Adds what the others said last: a process that is too busy to answer for some seconds has not ended. */
function createLastSaid(clock: Pick<Clock, 'now'>) {
  const last = new Map<string, { readonly at: number; readonly said: ProcessIncidents }>();
  return (answers: readonly ProcessIncidents[]): readonly ProcessIncidents[] => {
    const now = clock.now();
    for (const said of answers) last.set(said.process, { at: now, said });
    for (const [process, { at }] of last) if (now - at > SILENT_MS) last.delete(process);
    return [...last.values()].map(({ said }) => said);
  };
}

/**
 * Creates what keeps the incidents of a gateway and its fleet, and tells when one opens, worsens or ends. It takes its turns
 * from `start` on.
 */
export function createIncidentLedger({ clock, seen, alone, fleet, tell }: IncidentLedgerDeps) {
  const gateway = randomUUID();
  const withSilent = createLastSaid(clock);
  let known: readonly FleetIncident[] = [];
  let scope = alone;
  let lookedAt = -Infinity;
  let underWay: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** What the fleet knew, brought up to what its gateways see now. */
  async function updateFleet(to: Fleet, before: readonly FleetIncident[], own: readonly ProcessIncidents[]) {
    const others = (await to.seenIncidents()).filter((one) => one.gateway !== gateway);
    return updateFleetIncidents(
      before,
      [...own, ...others.flatMap(({ processes }) => processes)],
      clock.now(),
    );
  }

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
    known = isMine ? notify(await updateFleet(to, before, own)) : before;
    if (isMine && known.length > 0) await to.keepIncidents(known);
  }

  async function seenNow(): Promise<readonly ProcessIncidents[]> {
    const open = known.filter(({ isOpen }) => isOpen);
    return withSilent(await seen(open.map(({ kind, subject, since }) => ({ kind, subject, since }))));
  }

  async function turn(): Promise<void> {
    const own = await seenNow();
    const isBusy = known.some(({ isOpen }) => isOpen) || own.some(({ incidents }) => incidents.length > 0);
    if (fleet !== undefined && !isBusy && clock.now() - lookedAt < IDLE_MS) return;
    lookedAt = clock.now();
    try {
      if (fleet !== undefined) {
        await turnInFleet(fleet, own);
        return;
      }
    } catch {
      // Each gateway speaks for itself until Redis is back.
    }
    scope = alone;
    known = notify(updateFleetIncidents(known, own, clock.now()));
  }

  /** Does what is due, once at a time. */
  function takeTurn(): void {
    underWay ??= turn()
      .catch(() => undefined)
      .finally(() => (underWay = undefined));
  }

  return {
    start: (): void => void (timer ??= setInterval(takeTurn, TURN_MS).unref()),
    close: (): void => clearInterval(timer),
    /** What was known at the last turn. */
    latest: (): ScopedIncidents => ({ scope, incidents: known }),
    /** What is known now, without taking note of it. */
    read: async (): Promise<ScopedIncidents> => {
      const own = await seenNow();
      const before = await fleet?.knownIncidents().catch(() => undefined);
      const incidents = fleet && before && (await updateFleet(fleet, before, own).catch(() => undefined));
      if (incidents !== undefined) return { scope: 'fleet', incidents };
      return { scope: alone, incidents: updateFleetIncidents(known, own, clock.now()) };
    },
  };
}
