// The metrics of credentials, a part of metrics.ts: refusals, keys that expire, the token issuer, and the lines of the
// audit.

import { thresholdText } from '../../telemetry/conditions/condition.ts';
import { keysExpiring } from '../../telemetry/conditions/gateway-conditions.ts';
import { Counter, Gauge } from 'prom-client';
import type { KeyLoss } from '../../pipeline/stages/authentication/lost-keys.ts';
import type { RefusedCaller } from '../../telemetry/caller-counts.ts';
import { type MetricPlace, registerGauge } from '../../telemetry/metrics/metric-factories.ts';
import {
  type RefusalReason,
  refusalReasons,
} from '../../pipeline/stages/authentication/credential-result.ts';

/** Registers the gauges of the callers that limits refuse; the returned function takes what reads these callers. */
function registerRefusedCallers(place: MetricPlace) {
  let refused: () => readonly RefusedCaller[] = () => [];
  let lastRead = refused();
  const ofRefused = (
    name: string,
    help: string,
    valueOf: (one: RefusedCaller) => number,
    read = () => lastRead,
  ) =>
    registerGauge(place, {
      ...{ name, help, labelNames: ['caller', 'name'] },
      read: () => read().map((one) => [[one.id, one.label ?? ''], valueOf(one)] as const),
    });
  // A scrape asks this gauge first; the ones behind it show what it has read, so that all five are of one reading.
  ofRefused(
    'portico_caller_refused_share',
    'The share of the requests of a caller that limits refused in the last minute: of the ten with the largest shares above a fifth; 0 once that has ended, for ten minutes.',
    ({ share }) => share,
    () => (lastRead = refused()),
  );
  ofRefused(
    'portico_caller_refused_since_seconds',
    'When limits began to refuse such a caller: the time of its first refusal, in seconds since 1970.',
    ({ since }) => since / 1_000,
  );
  ofRefused(
    'portico_caller_refused_last_seconds',
    'When limits last refused such a caller, in seconds since 1970.',
    ({ last }) => last / 1_000,
  );
  ofRefused(
    'portico_caller_refused_requests',
    'How many requests of such a caller limits have refused since then.',
    ({ limited }) => limited,
  );
  ofRefused(
    'portico_caller_sent_requests',
    'How many requests such a caller has sent from its first refusal to its last one.',
    ({ requests }) => requests,
  );
  return (next: typeof refused) => void (refused = next);
}

/** Registers the metrics of keys and of the audit. */
export function createCredentialMetrics(place: MetricPlace) {
  const registers = [place.registry];
  const refusals = new Counter({
    name: 'portico_credential_refusals_total',
    help: 'Credentials answered 401, by what was wrong: a token (the log has its code), or of a key malformed, unknown, lost (known before, and Redis has it no more), wrong_secret, revoked, expired, wrong_address.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of refusalReasons) refusals.labels(reason).inc(0);
  const auditLines = new Counter({
    name: 'portico_audit_lines_total',
    help: 'Lines of the audit: kept; waiting, because Redis did not take them at once (the log has them); lost, as too many waited.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['kept', 'waiting', 'lost']) auditLines.labels(outcome).inc(0);
  const issuer = new Gauge({
    name: 'portico_issuer_lost',
    help: 'Processes that could not read the key set of the token issuer when they last asked for it.',
    registers,
  });
  const watchRefusedCallers = registerRefusedCallers(place);
  let lossOf: () => KeyLoss | undefined = () => undefined;
  registerGauge(place, {
    name: 'portico_keys_lost',
    help: 'API keys that callers presented in the last minute, that this gateway knew, and that the Redis of keys has lost; 0 for a single one, unless no key is left.',
    labelNames: [],
    read: () => [[[], lossOf()?.count ?? 0]],
  });
  const expiring = new Map<string, () => number>();
  registerGauge(place, {
    name: 'portico_keys_expiring',
    help: `API keys that end within ${thresholdText(keysExpiring)}, by where they are kept: redis, counted every ten minutes; configuration.`,
    labelNames: ['kept'],
    read: () => [...expiring].map(([kept, count]) => [[kept], count()] as const),
  });
  return {
    issuerLost: (isLost: boolean) => issuer.set(isLost ? 1 : 0),
    /** Reports at each scrape the callers that limits refuse. */
    watchRefusedCallers,
    /** Reports at each scrape the keys that Redis has lost. */
    watchLostKeys: (next: typeof lossOf): void => void (lossOf = next),
    refusedCredential: (reason: RefusalReason) => refusals.labels(reason).inc(),
    auditLine: (outcome: 'kept' | 'waiting' | 'lost') => auditLines.labels(outcome).inc(),
    /** Reports at each scrape how many keys end soon; the last call for a place counts. */
    watchExpiring: (kept: 'redis' | 'configuration', count: () => number) => void expiring.set(kept, count),
  };
}
