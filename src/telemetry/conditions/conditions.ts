import type { WebhookEventType } from '../../config/schema/telemetry.ts';
import { type GatewayCondition, type ConditionFacts, type Subject, thresholdText } from './condition.ts';
import {
  answerConditions,
  backgroundConditions,
  refusalConditions,
  standingConditions,
} from './gateway-conditions.ts';
import { migrationEventConditions, migrationStateConditions } from './migration-conditions.ts';
import { failures, invalidReplies, sourceConditions } from './source-conditions.ts';

/** Everything that may be wrong. The page sorts conditions by severity, and keeps this order among equals. */
export const conditions: readonly GatewayCondition[] = [
  ...[...standingConditions, ...sourceConditions, ...migrationStateConditions],
  ...[...answerConditions, invalidReplies, ...migrationEventConditions, ...refusalConditions],
  ...[...failures, ...backgroundConditions],
];

const URGENCY = { critical: 0, warning: 1, info: 2 } as const;

/** Fills a text: `{name}` is replaced by this value of the subject, `{one|many}` by one of both words, depending on `count`. */
const fill = (text: string, subject: Subject, write: (value: string) => string = String): string =>
  text
    .replaceAll(/\{([^{}|]+)\|([^{}|]+)\}/g, (_, one: string, many: string) =>
      subject['count'] === 1 ? one : many,
    )
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => write(String(subject[name] ?? '')));

/** What is wrong now, in words, the most urgent first, each with where it holds. */
export function findConditions(facts: ConditionFacts) {
  const found = conditions.flatMap((condition) => {
    const { id: code, severity, entry, view, text = '', above = 0, find = () => [] } = condition;
    const said = text.replaceAll('$above', thresholdText(condition));
    return find(facts, above).map((subject) => ({
      subject,
      item: {
        ...{ severity: subject['severity'] === 'critical' ? ('critical' as const) : severity, code, entry },
        text: fill(said, subject),
        ...(view === undefined ? {} : { view: fill(view, subject, encodeURIComponent) }),
      },
    }));
  });
  return found.sort((a, b) => URGENCY[a.item.severity] - URGENCY[b.item.severity]);
}

/** The id of the condition that a webhook event reports; `undefined` if it reports none. */
export const conditionOfEvent = (event: WebhookEventType): string | undefined =>
  conditions.find(({ webhook }) => webhook === event)?.id;

/** The name of the job by which a Prometheus scrapes the gateways, and where the runbook can be read: both may be replaced. */
const JOB = 'portico';
const RUNBOOK_URL = 'https://portico.example/docs/runbook.md';
const SHOWN = { share: 'humanizePercentage', seconds: 'humanizeDuration', days: 'humanize' } as const;

/** Which series, with which value, and since when: Prometheus keeps the latter beside its alerts. */
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
# Each has an entry in docs/runbook.md: put its address in place of ${RUNBOOK_URL}.
# The job that scrapes a gateway is called \`${JOB}\` here. Which alert silences which: prometheus/alertmanager.yaml.
groups:
  - name: portico
    rules:
${conditions.flatMap((one) => (one.expr === undefined ? [] : [ruleText(one)])).join('')}`;
