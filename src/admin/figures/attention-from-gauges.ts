import { PROOF } from '../../source/adapter/spec/capability.ts';
import type { GaugeValue } from '../../telemetry/figures/figure-sample.ts';
import {
  type Attention,
  type AttentionFacts,
  label,
  migrationView,
  some,
  viewOf,
} from './attention-facts.ts';

// What needs an operator by the state that something is in; attention.ts has what is counted.

const MIGRATION_STALE_SECONDS = 30;

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
    const isVisitor = all.some((gauge) => label(gauge, 'claim') === PROOF);
    const effect = isVisitor
      ? 'there are no answers until it knows the credential again'
      : 'answers are computed without it, which costs more calls';
    const text = `${source} has contradicted its file (${names.join(', ')}): ${effect}.`;
    return {
      severity: 'warning',
      code: 'claims_fallen',
      text,
      entry: 'PorticoSourceDrift',
      view: viewOf(source),
    };
  });
}

function lostFields({ gauges }: AttentionFacts): readonly Attention[] {
  const lost = gauges('portico_source_field_alarm').filter(({ value }) => value > 0);
  return lost.map((gauge) => {
    const [source, kind] = [label(gauge, 'source'), label(gauge, 'kind')];
    const what = kind === 'gone' ? 'no longer have' : 'have an unreadable';
    const text = `Many ${label(gauge, 'resource')} of ${source} ${what} ${label(gauge, 'field')}: callers get null.`;
    return {
      severity: 'critical',
      code: 'field_lost',
      text,
      entry: 'PorticoFieldLost',
      view: viewOf(source),
    };
  });
}

function migrations({ gauges }: AttentionFacts): readonly Attention[] {
  const viewed = (gauge: GaugeValue) => migrationView(label(gauge, 'resource'));
  const isSet = ({ value }: GaugeValue) => value > 0;
  const breaking = gauges('portico_migration_breaker_open').filter(isSet);
  const transient = gauges('portico_migration_transient_exceeded').filter(isSet);
  const held = gauges('portico_migration_hold').filter(isSet);
  const ready = gauges('portico_migration_gate_ready').filter(isSet);
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
    ...transient.map((gauge): Attention => {
      const operation = label(gauge, 'operation');
      const text = `Answers of the new source of ${operation} differ once, more often than writes explain.`;
      return {
        severity: 'critical',
        code: 'migration_transient',
        text,
        entry: 'PorticoMigrationTransient',
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
    ...ready.map((gauge): Attention => {
      const text = `The next step of the migration of ${label(gauge, 'resource')} may be taken.`;
      return {
        severity: 'info',
        code: 'migration_ready',
        text,
        entry: 'PorticoMigrationReady',
        view: viewed(gauge),
      };
    }),
    ...late.map(({ value }): Attention => {
      const text = `The state of migrations could not be read anew for ${Math.round(value)} s.`;
      return { severity: 'critical', code: 'migration_stale', text, entry: 'PorticoMigrationStale' };
    }),
  ];
}

/** What needs an operator by the states of Redis, of sources and of migrations. */
export function findTroubledStates(facts: AttentionFacts): readonly Attention[] {
  return [redisTrouble, breakers, lostFields, migrations, saturation, claims].flatMap((find) => find(facts));
}
