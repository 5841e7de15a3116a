import { type Attention, type AttentionFacts, label, percentText, some, viewOf } from './attention-facts.ts';
import { findTroublingEvents } from './attention-events.ts';
import { findTroubledStates } from './attention-from-gauges.ts';
import { isFailedCall, shareOf, sumOf, sumsBy } from './figure-sums.ts';

/** More failures than this part of the answers or calls of a minute need somebody. */
const FAILURES_SHARE = 0.05;
/** Of fewer, one failure would be a large part. */
const COUNTED_MIN = 20;
/** More stale answers than this part of those of the cache are worth knowing: some are usual. */
const STALE_SHARE = 0.1;
const URGENCY = { critical: 0, warning: 1, info: 2 } as const;

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
    const text = `${percentText(share)} of the answers of the last minute are errors of the gateway or of a service behind it.`;
    found.push({ severity: 'critical', code: 'errors', text, entry, view: '#/requests?status=5xx' });
  }
  const calls = sumsBy(grown, 'calls', ([source, outcome]) => (outcome === 'cancelled' ? undefined : source));
  const failed = sumsBy(grown, 'calls', ([source, outcome = '']) =>
    isFailedCall(outcome) ? source : undefined,
  );
  for (const [source, count] of calls) {
    const part = shareOf(failed.get(source) ?? 0, count);
    if (count < COUNTED_MIN || part === null || part <= FAILURES_SHARE) continue;
    const text = `${percentText(part)} of the calls to ${source} fail.`;
    found.push({ severity: 'warning', code: 'source_failing', text, entry, view: viewOf(source) });
  }
  return found;
}

/** What is said about requests that the gateway refuses, by the reason that is counted. */
const REFUSALS: Readonly<Record<string, Omit<Attention, 'text'> & { readonly what: string }>> = {
  event_loop: {
    ...{ severity: 'critical', code: 'shedding', entry: 'PorticoOverloaded' },
    what: 'refused with 503, because the gateway has more work than it can do',
  },
  in_flight: {
    ...{ severity: 'critical', code: 'shedding', entry: 'PorticoOverloaded' },
    what: 'refused with 503, because too many of their operation are under way',
  },
  limiter_unavailable: {
    ...{ severity: 'critical', code: 'limiter_unavailable', entry: 'PorticoLimiterUnavailable' },
    what: 'refused, because Redis cannot be asked for their limits',
  },
  credential_unavailable: {
    ...{ severity: 'critical', code: 'credentials_unavailable', entry: 'PorticoCredentialsUnavailable' },
    what: 'refused, because their credential cannot be checked',
  },
  credential_limited: {
    ...{ severity: 'warning', code: 'guessing', entry: 'PorticoGuessing', view: '#/callers' },
    what: 'refused, because somebody tries wrong credentials again and again',
  },
};

function refusals({ grown }: AttentionFacts): readonly Attention[] {
  return [...sumsBy(grown, 'refusals', ([reason]) => reason)].flatMap(([reason, count]) => {
    const { what, ...rest } = REFUSALS[reason] ?? {};
    if (what === undefined) return [];
    const text = `${some(count, 'request of the last minute was', 'requests of the last minute were')} ${what}.`;
    return [{ ...(rest as Omit<Attention, 'text'>), text }];
  });
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
  const digests = new Set(
    gauges('portico_config_info').flatMap((gauge) => (gauge.value > 0 ? [label(gauge, 'digest')] : [])),
  );
  if (digests.size > 1) {
    const text = `The processes of this gateway serve ${digests.size} different configurations.`;
    found.push({
      severity: 'warning',
      code: 'config_differs',
      text,
      entry: 'PorticoConfigDiffers',
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

/** Problems that do not affect answers. */
function backgroundProblems({ grown }: AttentionFacts): readonly Attention[] {
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
  const results = sumsBy(grown, 'requests', ([, , cache]) => (cache === 'none' ? undefined : cache));
  const looked = [...results.values()].reduce((sum, count) => sum + count, 0);
  const stale = shareOf(results.get('stale') ?? 0, looked);
  if (looked >= COUNTED_MIN && stale !== null && stale > STALE_SHARE) {
    const text = `${percentText(stale)} of the answers from the cache are stale: their source is late or fails.`;
    found.push({ severity: 'info', code: 'stale_served', text, view: '#/cache' });
  }
  return found;
}

/** What needs an operator, in words, the most urgent first. */
export function findAttention(facts: AttentionFacts): readonly Attention[] {
  const all = [
    findTroubledStates,
    findTroublingEvents,
    refusals,
    failures,
    configuration,
    backgroundProblems,
  ];
  return all.flatMap((find) => find(facts)).sort((a, b) => URGENCY[a.severity] - URGENCY[b.severity]);
}
