import {
  createIncidentDescriber,
  type DescribeIncidents,
  type IncidentDescriberDeps,
} from '../../admin/actions/incident-actions.ts';
import type { PatienceFacts } from '../../admin/views/incident-next.ts';
import { OUTAGE_MS } from '../../pipeline/stages/authentication/api-key-records.ts';
import { withTargets } from '../../source/compile-sources.ts';
import type { FleetIncident, IncidentEvent } from '../../telemetry/incidents/fleet-incidents.ts';
import type { WatchedState } from '../../telemetry/incidents/incident-tracker.ts';
import type { WebhookEvent } from '../../telemetry/webhooks/webhook-message.ts';
import type { ConfigStatus } from './reload-recorder.ts';
import type { ServedConfig } from './snapshot.ts';

const TICK_MS = 1_000;
const TURN_TICKS = 2;
const MINUTE_MS = 60_000;

/** Runs a tick each second and a turn each two seconds, until the returned function is called. */
export function startIncidents(tick: () => void, turn: () => Promise<void>): () => void {
  let ticks = 0;
  const timer = setInterval(() => {
    tick();
    ticks += 1;
    if (ticks % TURN_TICKS === 0) void turn();
  }, TICK_MS).unref();
  return () => clearInterval(timer);
}

/** The state of a configuration whose files were refused. */
export function configState({ stale }: Pick<ConfigStatus, 'stale'>): readonly WatchedState[] {
  const cause =
    stale && (stale.why === 'reload refused' ? 'the reload was refused' : 'started on the last good one');
  return [{ kind: 'config', subject: 'files', cause, since: stale && Date.parse(stale.since) }];
}

/** What a configuration says about the time after a failure. */
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
  };
}

/** Creates what describes the incidents of a gateway. */
export function openIncidentDescriber(
  deps: Pick<IncidentDescriberDeps, 'clock' | 'act'> & { readonly served: () => ServedConfig },
): DescribeIncidents {
  return createIncidentDescriber({ ...deps, patience: () => patienceOf(deps.served()) });
}

/** Makes the function that tells receivers of webhooks of an incident, in short. */
export function createIncidentNotice(describe: DescribeIncidents, tell: (event: WebhookEvent) => void) {
  return (event: IncidentEvent, incident: FleetIncident): void => {
    const { id, kind, subject, since, reopened } = incident;
    // Without Redis, each process tells by itself: a receiver takes what has one key for one message.
    const key = `incident.${event} ${kind} ${subject} ${Math.round(since / MINUTE_MS)} ${reopened}`;
    void describe([incident]).then(([view]) => {
      if (view === undefined) return;
      const { cause, text, severity, state, calls, answers, callers, moreCallers } = view;
      const { operations, before, next, todo } = view;
      const data = {
        ...{
          id,
          kind,
          subject,
          cause,
          text,
          severity,
          state,
          since: view.since,
          ended: view.ended,
          reopened,
        },
        ...{ fault: view.fault, calls, answers, callers, moreCallers, operations, before, next, todo },
      };
      tell({ type: `incident.${event}`, subject: `incident:${kind} ${subject}`, data, key });
    });
  };
}
