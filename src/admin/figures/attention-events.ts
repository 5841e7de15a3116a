import { quantileMs } from '../../telemetry/figures/latency-buckets.ts';
import { type Attention, type AttentionFacts, migrationView, some, viewOf } from './attention-facts.ts';
import { bucketsOf, sumOf, sumsBy } from './figure-sums.ts';

// Counted events that need an operator, most of them even if they happen once, and slow answers. attention.ts has refusals,
// failures, the configuration and the cache, and puts all in order.

const MS_OF_SLOW = 1_000;
/** Of fewer answers, the slowest in a hundred is a single one. */
const SLOW_COUNTED_MIN = 100;

function serverErrors({ grown }: AttentionFacts): readonly Attention[] {
  const count = sumOf(grown, 'serverErrors');
  if (count === 0) return [];
  const text = `${some(count, 'answer of the last minute is', 'answers of the last minute are')} 500: the gateway itself has failed.`;
  const view = '#/requests?status=5xx';
  return [{ severity: 'critical', code: 'server_errors', text, entry: 'PorticoServerErrors', view }];
}

function slowAnswers({ grown }: AttentionFacts): readonly Attention[] {
  const answers = sumsBy(grown, 'latency', ([operation]) => operation);
  return [...answers].flatMap(([operation, count]) => {
    const p99 = quantileMs(
      bucketsOf(grown, 'latency', (of) => of === operation),
      0.99,
    );
    if (count < SLOW_COUNTED_MIN || p99 === null || p99 <= MS_OF_SLOW) return [];
    const text = `One answer in a hundred of ${operation} takes more than a second.`;
    return [{ severity: 'warning' as const, code: 'slow', text, entry: 'PorticoSlow', view: '#/requests' }];
  });
}

/** Limits that processes count alone although there is a Redis for them; without one, they do so by design. */
function limitsAlone({ gauges, grown }: AttentionFacts): readonly Attention[] {
  const count = sumOf(grown, 'limitsAlone');
  const isShared = gauges('portico_redis_state').some(({ labels }) => labels['role'] === 'limits');
  if (count === 0 || !isShared) return [];
  const text = `${some(count, 'limit of the last minute was', 'limits of the last minute were')} counted by each process alone, so a caller may use them once for each.`;
  return [{ severity: 'warning', code: 'limits_alone', text, entry: 'PorticoLimiterAlone' }];
}

function invalidReplies({ grown }: AttentionFacts): readonly Attention[] {
  return [...sumsBy(grown, 'invalidReplies', ([source]) => source)].map(([source, count]) => {
    const text = `${some(count, 'reply', 'replies')} of ${source} in the last minute cannot be made into records.`;
    const entry = 'PorticoRepliesInvalid';
    return { severity: 'warning', code: 'replies_invalid', text, entry, view: viewOf(source) };
  });
}

function differences({ lastHour }: AttentionFacts): readonly Attention[] {
  return [...sumsBy(lastHour, 'differences', ([resource]) => resource)].map(([resource, count]) => {
    const text = `${some(count, 'difference', 'differences')} between both sources of ${resource} in the last hour.`;
    const view = migrationView(resource);
    return { severity: 'warning', code: 'migration_differs', text, entry: 'PorticoMigrationDiffers', view };
  });
}

function fallbacks({ grown }: AttentionFacts): readonly Attention[] {
  return [...sumsBy(grown, 'fallbacks', ([resource]) => resource)].map(([resource, count]) => {
    const text = `${some(count, 'request', 'requests')} for the new source of ${resource} in the last minute ${count === 1 ? 'was' : 'were'} served by the legacy one.`;
    const view = migrationView(resource);
    return { severity: 'warning', code: 'migration_fallback', text, entry: 'PorticoMigrationFallback', view };
  });
}

function regressions({ lastHour }: AttentionFacts): readonly Attention[] {
  return [...sumsBy(lastHour, 'regressions', ([resource]) => resource)].map(([resource]) => {
    const text = `Redis had lost the last changes of the migration of ${resource}; the gateway has put them back.`;
    const view = migrationView(resource);
    return {
      severity: 'critical',
      code: 'migration_lost',
      text,
      entry: 'PorticoMigrationRevRegressed',
      view,
    };
  });
}

function spansLost({ grown }: AttentionFacts): readonly Attention[] {
  const count = sumOf(grown, 'spansLost');
  if (count === 0) return [];
  const text = `${some(count, 'span', 'spans')} of the last minute did not reach the collector; requests are not affected.`;
  return [{ severity: 'info', code: 'spans_lost', text, entry: 'PorticoSpansLost' }];
}

function deadWebhooks({ lastHour }: AttentionFacts): readonly Attention[] {
  const count = sumOf(lastHour, 'webhooks', ([outcome]) => outcome === 'dead');
  if (count === 0) return [];
  const text = `${some(count, 'event', 'events')} of the last hour ${count === 1 ? 'was' : 'were'} given up, because no receiver of webhooks took them.`;
  return [{ severity: 'warning', code: 'webhooks_dead', text, entry: 'PorticoWebhooksDead' }];
}

/** What needs an operator because it has happened, or because answers are slow. */
export function findTroublingEvents(facts: AttentionFacts): readonly Attention[] {
  const all = [
    ...[serverErrors, slowAnswers, limitsAlone, invalidReplies],
    ...[differences, fallbacks, regressions, spansLost, deadWebhooks],
  ];
  return all.flatMap((find) => find(facts));
}
