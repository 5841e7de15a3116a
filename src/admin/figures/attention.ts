import type { FigureSample, GaugeValue } from '../../telemetry/figures/figure-sample.ts';
import type { ActionValue } from '../api/action-table.ts';
import { type Figures, isFailedCall, shareOf, sumOf, sumsBy } from './figure-sums.ts';

/** Something that needs an operator, with the entry of the runbook and the view of the console that say more. */
export type Attention = ActionValue<'overview'>['attention'][number];

/** What is judged. */
export type AttentionFacts = {
  readonly gauges: FigureSample['gauges'];
  /** What the last minute has counted. */
  readonly grown: Figures;
  /** Why the files on disk were refused. */
  readonly stale?: { readonly since: string; readonly why: string } | undefined;
};

/** More failures than this part of the answers or calls of a minute need somebody. */
const FAILURES_SHARE = 0.05;
/** Of fewer, one failure would be a large part. */
const COUNTED_MIN = 20;
/** More stale answers than this part of those of the cache are worth knowing: some are usual. */
const STALE_SHARE = 0.1;
const MIGRATION_STALE_SECONDS = 30;

const URGENCY = { critical: 0, warning: 1, info: 2 } as const;

const percent = (share: number) => `${share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;
const label = ({ labels }: GaugeValue, name: string) => String(labels[name] ?? '');
const some = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
const viewOf = (source: string) => `#/source/${encodeURIComponent(source)}`;

/** What Redis does not do, by its role. */
const WITHOUT_REDIS: Readonly<Record<string, string>> = {
  keys: 'keys that are not known yet are answered 503',
  limits: 'each process counts limits alone, and closed tiers are answered 503',
  cache: 'each process keeps its answers alone, and a purge fails',
};

/** What is wrong with a Redis, in a word and for the reader. */
const REDIS_TROUBLE: Readonly<Record<string, readonly [entry: string, text: string]>> = {
  lost: ['PorticoRedisLost', 'is out of reach'],
  full: ['PorticoRedisFull', 'is full and takes nothing new'],
  refusing: ['PorticoRedisRefusing', 'answers, but takes no writes'],
};

function redisTrouble({ gauges }: AttentionFacts): readonly Attention[] {
  const troubled = gauges('portico_redis_state').filter(({ value }) => value > 0);
  const byState = Map.groupBy(troubled, (gauge) => label(gauge, 'state'));
  return [...byState].flatMap(([state, all]) => {
    const [entry, words] = REDIS_TROUBLE[state] ?? [];
    if (entry === undefined) return [];
    const roles = all.map((gauge) => label(gauge, 'role'));
    const lost = state === 'lost' ? `: ${roles.map((role) => WITHOUT_REDIS[role] ?? role).join('; ')}` : '';
    const severity = state === 'full' || roles.includes('keys') ? 'critical' : 'warning';
    return [
      { severity, code: `redis_${state}`, text: `The Redis of ${roles.join(', ')} ${words}${lost}.`, entry },
    ];
  });
}

function breakers({ gauges }: AttentionFacts): readonly Attention[] {
  return gauges('portico_breaker_state').flatMap((gauge) => {
    if (gauge.value === 0) return [];
    const source = label(gauge, 'source');
    const [code, state] = gauge.value > 1 ? ['breaker_open', 'open'] : ['breaker_half_open', 'half open'];
    const text = `${source} fails so often that it is not asked: its breaker is ${state}.`;
    return [
      { severity: 'critical' as const, code, text, entry: 'PorticoSourceNotAsked', view: viewOf(source) },
    ];
  });
}

/** Failures of answers and of calls, where there are enough to tell. */
function failures({ grown }: AttentionFacts): readonly Attention[] {
  const found: Attention[] = [];
  const entry = 'PorticoUpstreamFailing';
  const answers = sumOf(grown, 'requests');
  const share = shareOf(
    sumOf(grown, 'requests', ([, status]) => status === '5xx'),
    answers,
  );
  if (answers >= COUNTED_MIN && share !== null && share > FAILURES_SHARE) {
    const text = `${percent(share)} of the answers of the last minute are errors of the gateway or of a service behind it.`;
    found.push({ severity: 'critical', code: 'errors', text, entry, view: '#/requests?status=5xx' });
  }
  const calls = sumsBy(grown, 'calls', ([source, outcome]) => (outcome === 'cancelled' ? undefined : source));
  const failed = sumsBy(grown, 'calls', ([source, outcome = '']) =>
    isFailedCall(outcome) ? source : undefined,
  );
  for (const [source, count] of calls) {
    const part = shareOf(failed.get(source) ?? 0, count);
    if (count < COUNTED_MIN || part === null || part <= FAILURES_SHARE) continue;
    const text = `${percent(part)} of the calls to ${source} fail.`;
    found.push({ severity: 'warning', code: 'source_failing', text, entry, view: viewOf(source) });
  }
  return found;
}

/** What the gateway refuses for want of something, by the reason that is counted. */
const REFUSALS: Readonly<Record<string, Omit<Attention, 'text'> & { readonly what: string }>> = {
  event_loop: {
    ...{ severity: 'critical', code: 'shedding', entry: 'PorticoOverloaded' },
    what: 'were refused with 503, because the gateway has more work than it can do',
  },
  in_flight: {
    ...{ severity: 'critical', code: 'shedding', entry: 'PorticoOverloaded' },
    what: 'were refused with 503, because too many of their operation are under way',
  },
  limiter_unavailable: {
    ...{ severity: 'critical', code: 'limiter_unavailable', entry: 'PorticoLimiterUnavailable' },
    what: 'were refused, because Redis cannot be asked for their limits',
  },
  credential_unavailable: {
    ...{ severity: 'critical', code: 'credentials_unavailable', entry: 'PorticoCredentialsUnavailable' },
    what: 'were refused, because their credential cannot be checked',
  },
  credential_limited: {
    ...{ severity: 'warning', code: 'guessing', entry: 'PorticoGuessing', view: '#/callers' },
    what: 'were refused, because somebody tries wrong credentials again and again',
  },
};

function refusals({ grown }: AttentionFacts): readonly Attention[] {
  return [...sumsBy(grown, 'refusals', ([reason]) => reason)].flatMap(([reason, count]) => {
    const { what, ...rest } = REFUSALS[reason] ?? {};
    if (what === undefined) return [];
    const text = `${some(count, 'request', 'requests')} of the last minute ${what}.`;
    return [{ ...(rest as Omit<Attention, 'text'>), text }];
  });
}

function saturation({ gauges }: AttentionFacts): readonly Attention[] {
  const loads = Map.groupBy(gauges('portico_source_load'), (gauge) => label(gauge, 'source'));
  return [...loads].flatMap(([source, states]) => {
    const of = (state: string) => states.find((gauge) => label(gauge, 'state') === state)?.value ?? 0;
    const [active, waiting, allowed] = [of('in_flight'), of('waiting'), of('allowed')];
    if (waiting === 0 || active < allowed) return [];
    const calls = some(waiting, 'call waits', 'calls wait');
    const text = `${calls} for ${source}: all ${allowed} that may be under way are.`;
    return [
      { severity: 'warning' as const, code: 'saturated', text, entry: 'overloaded', view: viewOf(source) },
    ];
  });
}

function claims({ gauges }: AttentionFacts): readonly Attention[] {
  const fallen = Map.groupBy(
    gauges('portico_claims_fallen').filter(({ value }) => value > 0),
    (gauge) => label(gauge, 'source'),
  );
  return [...fallen].map(([source, all]) => {
    const names = all.map((gauge) => `${label(gauge, 'resource')} ${label(gauge, 'claim')}`);
    const text = `${source} has contradicted its file (${names.join(', ')}): answers are computed without it, which costs more calls.`;
    return {
      severity: 'warning',
      code: 'claims_fallen',
      text,
      entry: 'PorticoSourceDrift',
      view: viewOf(source),
    };
  });
}

function migrations({ gauges }: AttentionFacts): readonly Attention[] {
  const viewed = (gauge: GaugeValue) => `#/migration/${encodeURIComponent(label(gauge, 'resource'))}`;
  const isSet = ({ value }: GaugeValue) => value > 0;
  const breaking = gauges('portico_migration_breaker_open').filter(isSet);
  const held = gauges('portico_migration_hold').filter(isSet);
  const late = gauges('portico_migration_stale_seconds').filter(
    ({ value }) => value > MIGRATION_STALE_SECONDS,
  );
  return [
    ...breaking.map((gauge): Attention => {
      const text = `The new source of ${label(gauge, 'resource')} fails: ${some(gauge.value, 'process serves', 'processes serve')} it from the legacy source.`;
      return {
        severity: 'critical',
        code: 'migration_breaker',
        text,
        entry: 'PorticoMigrationFallback',
        view: viewed(gauge),
      };
    }),
    ...held.map((gauge): Attention => {
      const resource = label(gauge, 'resource');
      if (label(gauge, 'by') === 'judge') {
        const text = `The judge has stopped the migration of ${resource}.`;
        return {
          severity: 'critical',
          code: 'migration_stopped',
          text,
          entry: 'PorticoMigrationStopped',
          view: viewed(gauge),
        };
      }
      const text = `An operator holds the migration of ${resource}.`;
      return { severity: 'info', code: 'migration_held', text, view: viewed(gauge) };
    }),
    ...late.map(({ value }): Attention => {
      const text = `The state of migrations could not be read anew for ${Math.round(value)} s.`;
      return { severity: 'critical', code: 'migration_stale', text, entry: 'PorticoMigrationStale' };
    }),
  ];
}

function configuration({ stale, gauges }: AttentionFacts): readonly Attention[] {
  const found: Attention[] = [];
  if (stale !== undefined) {
    const text = 'The files of the configuration were refused, so an older configuration is in force.';
    found.push({
      severity: 'warning',
      code: 'config_stale',
      text,
      entry: 'PorticoConfigStale',
      view: '#/config',
    });
  }
  const expiring = gauges('portico_keys_expiring').reduce((sum, { value }) => sum + value, 0);
  if (expiring > 0) {
    const text = `${some(expiring, 'API key ends', 'API keys end')} within 14 days.`;
    found.push({
      severity: 'info',
      code: 'keys_expiring',
      text,
      entry: 'PorticoKeysExpiring',
      view: '#/callers',
    });
  }
  return found;
}

/** What goes on beside the answers. */
function besides({ grown }: AttentionFacts): readonly Attention[] {
  const found: Attention[] = [];
  const failed = sumOf(
    grown,
    'cache',
    ([level, result]) => level === 'redis' && (result === 'failed' || result === 'damaged'),
  );
  if (failed > 0) {
    const text = `The shared cache failed ${some(failed, 'time', 'times')} in the last minute, or holds what Portico did not put there.`;
    found.push({
      severity: 'warning',
      code: 'cache_failing',
      text,
      entry: 'PorticoCacheFailing',
      view: '#/cache',
    });
  }
  const dead = sumOf(grown, 'webhooks', ([outcome]) => outcome === 'dead');
  if (dead > 0) {
    const text = `${some(dead, 'event was', 'events were')} given up, because no receiver of webhooks took them.`;
    found.push({ severity: 'warning', code: 'webhooks_dead', text });
  }
  const results = sumsBy(grown, 'requests', ([, , cache]) => (cache === 'none' ? undefined : cache));
  const looked = [...results.values()].reduce((sum, count) => sum + count, 0);
  const stale = shareOf(results.get('stale') ?? 0, looked);
  if (looked >= COUNTED_MIN && stale !== null && stale > STALE_SHARE) {
    const text = `${percent(stale)} of the answers from the cache are stale: their source is late or fails.`;
    found.push({ severity: 'info', code: 'stale_served', text, view: '#/cache' });
  }
  return found;
}

/** What needs an operator, in words, the most urgent first. */
export function findAttention(facts: AttentionFacts): readonly Attention[] {
  const all = [
    redisTrouble,
    breakers,
    refusals,
    failures,
    migrations,
    saturation,
    claims,
    configuration,
    besides,
  ];
  return all.flatMap((find) => find(facts)).sort((a, b) => URGENCY[a.severity] - URGENCY[b.severity]);
}
