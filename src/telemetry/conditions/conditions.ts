// Puts all conditions together, finds those that hold now, and writes the alert rules of Prometheus from them.

import type { WebhookEventType } from '../../config/schema/telemetry.ts';
import { LATEST_MS } from '../history/metric-sampler.ts';
import { type GatewayCondition, type ConditionFacts, type Subject, thresholdText } from './condition.ts';
import {
  answerConditions,
  backgroundConditions,
  refusalConditions,
  standingConditions,
} from './gateway-conditions.ts';
import { migrationEventConditions, migrationStateConditions } from './migration-conditions.ts';
import { failures, invalidReplies, sourceConditions } from './source-conditions.ts';

/** All conditions. The page sorts them by severity, and keeps this order among equals. */
export const conditions: readonly GatewayCondition[] = [
  ...[...standingConditions, ...sourceConditions, ...migrationStateConditions],
  ...[...answerConditions, invalidReplies, ...migrationEventConditions, ...refusalConditions],
  ...[...failures, ...backgroundConditions],
];

/** What is added to a condition of the last minute that is over. */
const OVER = ` It was last seen more than ${LATEST_MS / 1_000} s ago.`;

const URGENCY = { critical: 0, warning: 1, info: 2 } as const;

/** Fills a text: `{name}` becomes that value of the subject, and `{one|many}` the first word if `count` is 1, else the second. */
const fill = (text: string, subject: Subject, write: (value: string) => string = String): string =>
  text
    .replaceAll(/\{([^{}|]+)\|([^{}|]+)\}/g, (_, one: string, many: string) =>
      subject['count'] === 1 ? one : many,
    )
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => write(String(subject[name] ?? '')));

/** What distinguishes the places where one condition holds, if it is judged by the last minute. */
const placeOf = ({ source, operation, resource, why }: Subject) => source ?? operation ?? resource ?? why;

/**
 * The conditions that hold now, as items for the page with their subjects, the most urgent first. A fault of the last minute that
 * is over stays as a piece of information, because who looks then asks for it.
 */
export function findConditions(facts: ConditionFacts) {
  const found = conditions.flatMap((condition) => {
    const { id: code, severity, entry, view, text = '', above = 0, find = () => [] } = condition;
    const { next, todo, command = '' } = condition;
    const say = (said: string, subject: Subject) =>
      fill(said.replaceAll('$above', thresholdText(condition)), subject);
    const latest = find({ ...facts, grown: facts.latest, isBrief: true }, above).map(placeOf);
    const isOver = (subject: Subject) => !latest.includes(placeOf(subject));
    const severityOf = (subject: Subject) => {
      if (isOver(subject)) return 'info';
      return subject['severity'] === 'critical' ? 'critical' : severity;
    };
    return find(facts, above).map((subject) => ({
      subject,
      item: {
        ...{ severity: severityOf(subject), code, entry },
        text: `${say(text, subject)}${isOver(subject) ? OVER : ''}`,
        ...(typeof subject['since'] === 'string' && { since: subject['since'] }),
        ...(view === undefined ? {} : { view: fill(view, subject, encodeURIComponent) }),
        ...(next !== undefined && { next: [say(next, subject)] }),
        ...(todo !== undefined && { todo: { line: say(todo, subject), command: say(command, subject) } }),
      },
    }));
  });
  return found.sort((a, b) => URGENCY[a.item.severity] - URGENCY[b.item.severity]);
}

/** The id of the condition that a webhook event reports; `undefined` if it reports none. */
export const conditionOfEvent = (event: WebhookEventType): string | undefined =>
  conditions.find(({ webhook }) => webhook === event)?.id;

/** The name of the Prometheus job that scrapes the gateways, and the address of the runbook. Operators may replace both. */
const JOB = 'portico';
const RUNBOOK_URL = 'https://portico.example/docs/runbook.md';
const SHOWN = { share: 'humanizePercentage', seconds: 'humanizeDuration', days: 'humanize' } as const;

/** The template of an alert's description: the labels, the value, and since when it holds (from Prometheus' own series). */
function descriptionOf({ entry, unit = 'days', adds = '' }: GatewayCondition): string {
  const since = `{{ with query "sort(ALERTS_FOR_STATE{alertname=\\"${entry}\\"})" }}{{ . | first | value | humanizeTimestamp }}{{ else }}now{{ end }}`;
  return `{{ range $name, $of := $labels }}{{ $name }} {{ $of }}; {{ end }}value {{ $value | ${SHOWN[unit]} }}${adds}; since ${since}`;
}

function ruleText({
  entry,
  expr = '',
  note,
  lasts,
  severity,
  pages,
  summary = '',
  ...condition
}: GatewayCondition) {
  const { above = 0 } = condition;
  const filled = expr.replaceAll('$above', String(above)).replaceAll('$job', JOB);
  const urgency = severity === 'critical' || pages === true ? 'page' : 'ticket';
  const lines = [
    `- alert: ${entry}`,
    ...(note === undefined ? [] : [`  # ${note}`]),
    `  expr: '${filled}'`,
    ...(lasts === undefined ? [] : [`  for: ${lasts}`]),
    `  labels: { severity: ${urgency} }`,
    `  annotations:`,
    `    summary: ${summary.replaceAll('$above', thresholdText(condition))}`,
    `    description: '${descriptionOf({ ...condition, entry, severity })}'`,
    `    runbook_url: ${RUNBOOK_URL}#${entry.toLowerCase()}`,
  ];
  return lines.map((line) => `      ${line}\n`).join('');
}

/** The alert rules of Prometheus, as YAML. */
export const alertRules =
  (): string => `# Alert rules for Prometheus over the metrics of the admin listener, generated from src/telemetry/conditions.
# Each has an entry in docs/runbook.md. Say where your people read it as you copy this file beside prometheus.yaml:
#   sed 's|${RUNBOOK_URL}|<address>|' config/alerts.yaml > alerts.yaml
# The chart has one value for it, prometheusRule.runbookUrl, and the board one variable, runbook.
# The job that scrapes a gateway is called \`${JOB}\` here. Which alert silences which: prometheus/alertmanager.yaml.
groups:
  - name: portico
    rules:
${conditions.flatMap((one) => (one.expr === undefined ? [] : [ruleText(one)])).join('')}`;
