// The conditions of the sources of a gateway: they fail, are overloaded, or no longer fit their files.

import { failedCallsBySource, shareOf, sumOf } from '../history/series-sums.ts';
import type { CallFailure } from '../../kernel/errors/call-failure.ts';
import {
  burnRate,
  type GatewayCondition,
  countsAbove,
  gaugesAbove,
  type Find,
  isJudged,
  label,
  percentText,
} from './condition.ts';

function findSaturated({ gauges }: Parameters<Find>[0], above: number) {
  const loads = Map.groupBy(gauges('portico_source_load'), (gauge) => label(gauge, 'source'));
  return [...loads].flatMap(([source, states]) => {
    const of = (state: string) => states.find((gauge) => label(gauge, 'state') === state)?.value ?? 0;
    const [active, count, allowed] = [of('in_flight'), of('waiting'), of('allowed')];
    return count > above && active >= allowed ? [{ source, count, allowed }] : [];
  });
}

function findDisabledClaims({ gauges }: Parameters<Find>[0], above: number) {
  const disabled = gauges('portico_claims_fallen').filter(({ value }) => value > above);
  return [...Map.groupBy(disabled, (gauge) => label(gauge, 'source'))].map(([source, all]) => {
    const claims = all.map((gauge) => `${label(gauge, 'resource')} ${label(gauge, 'claim')}`).join(', ');
    const effect = all.some((gauge) => label(gauge, 'claim') === 'auth.proof')
      ? 'there are no answers until it knows the credential again'
      : 'answers are computed without it, which costs more calls';
    return { source, claims, effect };
  });
}

const findLostFields: Find = (facts, above) =>
  gaugesAbove('portico_source_field_alarm')(facts, above).map((subject) => {
    return { ...subject, what: subject['kind'] === 'gone' ? 'no longer have' : 'have an unreadable' };
  });

function findFailedAnswers(facts: Parameters<Find>[0], above: number) {
  const { grown } = facts;
  const answers = sumOf(grown, 'requests');
  const errors = sumOf(grown, 'requests', ([, status]) => status === '5xx');
  const share = shareOf(errors, answers) ?? 0;
  return isJudged(facts, answers) && share > above ? [{ percent: percentText(share) }] : [];
}

function findFailedCalls(facts: Parameters<Find>[0], above: number) {
  return [...failedCallsBySource(facts.grown)].flatMap(([source, { calls, failed, failure }]) => {
    const share = shareOf(failed, calls) ?? 0;
    if (!isJudged(facts, calls) || share <= above || failure === undefined) return [];
    return [{ source, percent: percentText(share), why: FAILURE_TEXTS[failure] }];
  });
}

/** Why calls bring no usable answer, as the end of a sentence that begins with "because". */
const FAILURE_TEXTS: Readonly<Record<CallFailure, string>> = {
  unreachable: 'it cannot be connected to',
  timeout: 'it does not answer in time',
  error: 'it answers that it fails, or breaks off',
  limited: 'it takes no more calls of Portico',
  credential: "it refuses Portico's credential",
  shape: 'its replies have another shape than its file says',
  outcome: 'its file does not say what its replies mean',
  not_asked: 'its breaker or a pause that it asked for keeps them back',
};

const OF_SOURCE = '#/source/{source}';
/** The state of the breaker stands in the incident: two places would know it at two moments. */
const NOT_ASKED = '{source} fails so often that its breaker keeps calls back.';

/** The conditions of a source, its load and its file. */
export const sourceConditions: readonly GatewayCondition[] = [
  {
    ...{ id: 'breaker_open', severity: 'critical', entry: 'PorticoSourceNotAsked', above: 1 },
    text: NOT_ASKED,
    ...{ webhook: 'breaker.opened', view: OF_SOURCE, find: gaugesAbove('portico_breaker_state') },
  },
  {
    ...{ id: 'breaker_half_open', severity: 'critical', entry: 'PorticoSourceNotAsked', lasts: '2m' },
    note: 'Half open counts: one call tries, and may take as long as a call may.',
    expr: 'max by (source) (portico_breaker_state{source!=""}) > $above',
    summary: 'A source fails so often that it is not asked.',
    text: NOT_ASKED,
    ...{ view: OF_SOURCE, find: gaugesAbove('portico_breaker_state', ({ value }) => value <= 1) },
  },
  {
    ...{
      id: 'field_lost',
      severity: 'critical',
      entry: 'PorticoFieldLost',
      webhook: 'field.lost',
      lasts: '2m',
    },
    note: "A jump against the field's own past: a field that many records never had raises nothing.",
    expr: 'max by (source, resource, field, kind) (portico_source_field_alarm) > $above',
    summary: 'Many records of a service suddenly lack a field, so callers get null.',
    text: 'Many {resource} of {source} {what} {field}: callers get null.',
    ...{ view: OF_SOURCE, find: findLostFields },
  },
  {
    ...{ id: 'saturated', severity: 'warning', entry: 'overloaded' },
    text: '{count} {call waits|calls wait} for {source}: all {allowed} that may be under way are.',
    ...{ view: OF_SOURCE, find: findSaturated },
  },
  {
    ...{ id: 'claims_fallen', severity: 'warning', entry: 'PorticoSourceDrift' },
    expr: 'max by (source, resource, claim) (portico_claims_fallen) > $above or sum by (source, resource, view) (increase(portico_dropped_records_total[10m])) / sum by (source, resource, view) (increase(portico_records_total[10m])) > 0.05',
    note: 'A few records without an id are usual; more than 5 % are not.',
    lasts: '2m',
    summary: 'A service is no longer what its file says.',
    text: '{source} has contradicted its file ({claims}): {effect}.',
    ...{ view: OF_SOURCE, find: findDisabledClaims },
  },
];

/** The condition that replies of a source cannot be made into records. */
export const invalidReplies: GatewayCondition = {
  ...{ id: 'replies_invalid', severity: 'warning', entry: 'PorticoRepliesInvalid', lasts: '5m' },
  expr: 'sum by (source, resource, reason) (rate(portico_invalid_replies_total[2m])) > $above',
  summary: 'A service answers what cannot be made into records.',
  text: '{count} {reply|replies} of {source} in the last minute cannot be made into records.',
  ...{ view: OF_SOURCE, find: countsAbove('invalidReplies', 'source') },
};

const FAILURES = { above: 0.05, unit: 'share' } as const;

/** The conditions that too many answers of the gateway fail, or too many calls to one source fail. */
export const failures: readonly GatewayCondition[] = [
  {
    ...{ ...FAILURES, id: 'errors', severity: 'critical', entry: 'PorticoAnswersFailing', lasts: '1m' },
    ...{ view: '#/requests?status=5xx' },
    expr: burnRate('operation', 'portico_requests_total', 'status=~"502|503|504"'),
    summary: 'More than $above of the answers are 502, 503 or 504; an alert of its own says why.',
    text: '{percent} of the answers of the last minute are errors of the gateway or of a service behind it.',
    find: findFailedAnswers,
  },
  {
    ...{ ...FAILURES, id: 'source_failing', severity: 'warning', entry: 'PorticoUpstreamFailing' },
    ...{ view: OF_SOURCE, lasts: '2m', pages: true },
    expr: 'max by (source) (portico_source_failed_share) > $above',
    summary: 'More than $above of the calls to a source bring no usable answer.',
    adds: '{{ with printf "topk(1, sum by (failure) (increase(portico_upstream_calls_total{source=%q,failure!=\\"\\"}[5m])))" $labels.source | query }}, most {{ . | first | label "failure" }}{{ end }}',
    text: '{percent} of the calls to {source} in the last minute brought no usable answer; most because {why}.',
    find: findFailedCalls,
  },
];
