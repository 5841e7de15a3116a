import type { Act } from '../../admin/actions/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { KnownIncidents, ProcessIncidents } from '../../telemetry/incidents/fleet-incidents.ts';
import { createIncidentTracker } from '../../telemetry/incidents/incident-tracker.ts';
import type { WebhookEvent } from '../../telemetry/webhooks/webhook-message.ts';
import { createIncidentLedger } from '../reload/incident-ledger.ts';
import {
  configState,
  createIncidentNotice,
  openIncidentDescriber,
  startIncidents,
} from '../reload/open-incidents.ts';
import type { ConfigStatus } from '../reload/reload-recorder.ts';
import type { ServedConfig } from '../reload/snapshot.ts';
import { answersOf, type WorkerLink } from './worker-link.ts';

/** A primary sees only whether reloads are refused; its workers see the rest. */
export type PrimaryIncidentsDeps = {
  readonly serving: () => readonly Pick<WorkerLink, 'ask'>[];
  /** Whether the workers keep the incidents of the fleet in Redis, and tell of them. */
  readonly isShared: boolean;
  readonly config: () => Pick<ConfigStatus, 'stale'>;
  readonly act: Act;
  readonly served: () => ServedConfig;
  readonly tell: (event: WebhookEvent) => void;
  readonly instance: string;
  readonly version: string;
};

const ASK_MS = 1_000;
const NONE: KnownIncidents = { scope: 'workers', incidents: [] };

/** Opens the incidents of a primary: its own, and those of its workers or of their fleet. */
export function openPrimaryIncidents(deps: PrimaryIncidentsDeps) {
  const { serving, isShared, config, act, served, tell, instance, version } = deps;
  const tracker = createIncidentTracker({
    ...{ clock: systemClock, answered: () => 0, slowMs: () => Infinity },
    ...{ sourcesOf: () => [], redisOf: () => undefined, labelOf: () => undefined },
  });
  tracker.watch(() => configState(config()));
  const startedAt = systemClock.now();
  const notice = createIncidentNotice(openIncidentDescriber({ clock: systemClock, act, served }), tell);
  const ledger = createIncidentLedger({
    clock: systemClock,
    own: () => ({ process: instance, version, startedAt, incidents: tracker.incidents() }),
    // What the fleet knows has what the workers see; while Redis is away they are asked one by one.
    workers: () =>
      isOfFleet() ? Promise.resolve([]) : answersOf<ProcessIncidents>(serving(), { about: 'incidents' }, ASK_MS),
    tell(event, incident) {
      if (!isShared || incident.kind === 'config') notice(event, incident);
    },
  });
  let fleet = NONE;
  const isOfFleet = () => fleet.scope === 'fleet';

  async function readFleet(): Promise<void> {
    const [link] = isShared ? serving() : [];
    const asked = link?.ask({ about: 'known-incidents' }, ASK_MS) as Promise<KnownIncidents> | undefined;
    fleet = (await asked?.catch(() => undefined)) ?? NONE;
  }

  const both = (own: KnownIncidents): KnownIncidents =>
    isOfFleet() ? { scope: 'fleet', incidents: [...own.incidents, ...fleet.incidents] } : own;

  async function turn(): Promise<void> {
    await readFleet();
    await ledger.turn();
  }

  return {
    latest: () => both(ledger.latest()),
    async read(): Promise<KnownIncidents> {
      await readFleet();
      return both(await ledger.read());
    },
    /** Begins to look, until the returned function is called. */
    start: () => startIncidents(tracker.tick, turn),
  };
}
