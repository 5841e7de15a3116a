// Opens the incidents of a gateway: who is asked for them, how they are described, and how receivers are told.

import { operationsWithField } from '../../source/adapter/map/row-fields.ts';
import type { Act } from '../../admin/actions/act.ts';
import {
  createIncidentDescriber,
  type DescribeIncidents,
  type IncidentDescriberDeps,
} from '../../admin/actions/incident-actions.ts';
import type { PatienceFacts } from '../../admin/views/incident-next.ts';
import type { OverviewStatus } from '../../admin/views/overview.ts';
import { OUTAGE_MS } from '../../pipeline/stages/authentication/api-key-records.ts';
import { REFETCH_MS } from '../../pipeline/stages/authentication/jwks.ts';
import { redisProfiles, type RedisProfile } from '../../store/redis/redis-profile.ts';
import { withTargets } from '../../source/compile-sources.ts';
import type { FleetIncident, IncidentEvent } from '../../telemetry/incidents/fleet-incidents.ts';
import type { IncidentTracker, WatchedState } from '../../telemetry/incidents/incident-tracker.ts';
import type { WebhookEvent } from '../../telemetry/webhooks/webhook-message.ts';
import { createIncidentLedger, type IncidentLedgerDeps } from './incident-ledger.ts';
import type { ServedConfig } from './snapshot.ts';

const MINUTE_MS = 60_000;

/** The state of the configuration: what is wrong if its files were refused. */
function configState({ stale }: OverviewStatus['config']): readonly WatchedState[] {
  const cause =
    stale && (stale.why === 'reload refused' ? 'the reload was refused' : 'started on the last good one');
  return [{ kind: 'config', subject: 'files', cause, since: stale && Date.parse(stale.since) }];
}

/** Where a Redis, its first node or its first sentinel is, without credentials. */
function plainRedisUrl(profile: RedisProfile): string {
  if ('url' in profile) {
    const { protocol, host } = new URL(profile.url);
    return `${protocol}//${host}`;
  }
  const [node] = 'cluster' in profile ? profile.cluster : profile.sentinel.nodes;
  return `${profile.access.tls === undefined ? 'redis' : 'rediss'}://${node?.host ?? ''}:${node?.port ?? ''}`;
}

/** What the configuration says about a failure, and how long the gateway can still serve after it. */
function patienceOf({ gateway, compiled }: ServedConfig): PatienceFacts {
  const all = withTargets(compiled);
  return {
    breakerMs(name) {
      const route = gateway.passthrough.find((one) => `passthrough.${one.name}` === name);
      return (
        route?.breaker.open ??
        all.find(({ source }) => source.spec.name === name)?.source.spec.net.breaker.open
      );
    },
    staleMs(name) {
      const caches = all.flatMap((one) => (one.source.spec.name === name ? [one.config.cache] : []));
      const kept = caches.filter(({ staleIfError }) => staleIfError > 0);
      if (kept.length === 0) return undefined;
      return Math.max(...kept.map(({ fresh, staleIfError }) => fresh + staleIfError)) * 1_000;
    },
    keysMs: OUTAGE_MS,
    issuerMs: gateway.auth.jwt?.keysStale ?? 0,
    issuerPauseMs: REFETCH_MS,
    redisUrl(roles) {
      const all = redisProfiles(gateway.redis);
      const { profile } = all.find((one) => one.roles.some((role) => roles.includes(role))) ?? {};
      return profile && plainRedisUrl(profile);
    },
    operationsOf: (lost) =>
      operationsWithField(
        all.find((one) => one.resource.name === lost.resource && one.source.spec.name === lost.source),
        lost.field,
      ),
  };
}

/** Creates the function that tells receivers of webhooks about an incident. */
function createNotice(describe: DescribeIncidents, tell: (event: WebhookEvent) => void) {
  return (event: IncidentEvent, incident: FleetIncident): void => {
    const { kind, subject, since, reopened } = incident;
    // Without Redis, each gateway sends the event; with the same key, receivers can drop the repetitions.
    const key = `incident.${event} ${kind} ${subject} ${Math.round(since / MINUTE_MS)} ${reopened}`;
    void describe([incident]).then(([view]) => {
      if (view === undefined) return;
      const { effects: _, ...data } = view;
      tell({ type: `incident.${event}`, subject: `incident:${kind} ${subject}`, data, key });
    });
  };
}

/** What the incidents of a gateway need. `workers`: asks the workers of a primary, because they see more than the primary. */
export type OpenIncidentsDeps = Pick<IncidentLedgerDeps, 'clock' | 'fleet' | 'alone'> & {
  readonly tracker: Pick<IncidentTracker, 'seen' | 'watch'>;
  readonly workers?: IncidentLedgerDeps['seen'] | undefined;
  readonly config: () => OverviewStatus['config'];
  readonly served: () => ServedConfig;
  readonly act: Act;
  readonly reloads: IncidentDescriberDeps['reloads'];
  readonly tell: (event: WebhookEvent) => void;
};

/** Opens the incidents of all processes of a gateway. Nothing is kept or told before `start`. */
export function openIncidents({
  tracker,
  workers,
  config,
  served,
  act,
  reloads,
  tell,
  ...deps
}: OpenIncidentsDeps) {
  tracker.watch(() => configState(config()));
  const describe = createIncidentDescriber({
    ...{ clock: deps.clock, act, reloads },
    patience: () => patienceOf(served()),
  });
  const seen: IncidentLedgerDeps['seen'] = async (open) => {
    const { processes, silent } = (await workers?.(open)) ?? { processes: [], silent: [] };
    return { processes: [tracker.seen(open), ...processes], silent };
  };
  return { describe, ...createIncidentLedger({ ...deps, seen, tell: createNotice(describe, tell) }) };
}
