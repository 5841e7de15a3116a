import type { Act } from '../../admin/actions/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { ScopedIncidents, ProcessIncidents } from '../../telemetry/incidents/fleet-incidents.ts';
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
import type { SoundConfig } from '../reload/reload-outcome.ts';
import { redisProfile } from '../../store/redis/redis-profile.ts';
import { answersOf, type WorkerLink } from './worker-link.ts';

/** What the primary serves by, and its workers. */
type PrimaryParts = {
  readonly serving: () => readonly Pick<WorkerLink, 'ask'>[];
  readonly served: () => ServedConfig;
  readonly act: Act;
};

const ASK_MS = 1_000;
const NONE: ScopedIncidents = { scope: 'workers', incidents: [] };

/**
 * Opens the incidents of a primary: its own, which are refused reloads, and those of its workers. With a Redis for the
 * cache, the workers keep those of the fleet, and tell of them.
 */
export function openPrimaryIncidents(
  about: { readonly first: SoundConfig; readonly instance: string; readonly version: string },
  { serving, served, act }: PrimaryParts,
  config: () => Pick<ConfigStatus, 'stale'>,
  tell: (event: WebhookEvent) => void,
) {
  const { first, instance, version } = about;
  const isShared = redisProfile(first.gateway.redis, 'cache') !== undefined;
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
      isOfFleet()
        ? Promise.resolve([])
        : answersOf<ProcessIncidents>(serving(), { about: 'incidents' }, ASK_MS),
    tell(event, incident) {
      if (!isShared || incident.kind === 'config') notice(event, incident);
    },
  });
  let fleet = NONE;
  let stop: () => void = () => undefined;
  const isOfFleet = () => fleet.scope === 'fleet';

  async function readFleet(): Promise<void> {
    const [link] = isShared ? serving() : [];
    const asked = link?.ask({ about: 'known-incidents' }, ASK_MS) as Promise<ScopedIncidents> | undefined;
    fleet = (await asked?.catch(() => undefined)) ?? NONE;
  }

  const both = (own: ScopedIncidents): ScopedIncidents =>
    isOfFleet() ? { scope: 'fleet', incidents: [...own.incidents, ...fleet.incidents] } : own;

  async function turn(): Promise<void> {
    await readFleet();
    await ledger.turn();
  }

  return {
    latest: () => both(ledger.latest()),
    read: async (): Promise<ScopedIncidents> => {
      await readFleet();
      return both(await ledger.read());
    },
    start: (): void => void (stop = startIncidents(tracker.tick, turn)),
    close: (): void => stop(),
  };
}
