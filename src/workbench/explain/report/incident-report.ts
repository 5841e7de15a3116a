// Reports what is wrong with a running gateway, for `portico status`, in 80 columns.

import type { ActionValue } from '../../../admin/api/action-table.ts';
import { plural } from '../../../kernel/plural.ts';
import { wrapWords } from '../../../kernel/wrap-words.ts';
import { BEFORE_MS } from '../../../telemetry/incidents/fleet-incidents.ts';
import { percentText } from '../../../telemetry/conditions/condition.ts';

/** What `portico status` reads of a gateway. */
export type GatewayStatus = ActionValue<'incidents'>;

type Shown = GatewayStatus['incidents'][number];

const COLUMNS = 80;
/** The column at which the text behind a label begins. */
const LABEL = 12;

/** A text behind `head`, broken at blanks into lines that a terminal shows; further lines are indented as wide as `head`. */
function fold(head: string, text: string, indent = head.length): string {
  return wrapWords(text, COLUMNS, head, ' '.repeat(indent)).join('\n');
}

const number = (value: number) => value.toLocaleString('en-US');

/** How long something lasts, in its two largest units. */
function lasting(ms: number): string {
  const all = Math.max(0, Math.round(ms / 1_000));
  const [hours, minutes, seconds] = [Math.floor(all / 3_600), Math.floor(all / 60) % 60, all % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds} s` : `${seconds} s`;
}

/** The command that lists requests by a filter. */
const requestsCommand = (filter: Iterable<readonly [name: string, value: string]>) =>
  ['portico requests', ...[...filter].map(([name, value]) => `--${name} ${value}`)].join(' ');

const timeText = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;

/** From when to when a run lasted, as times of day. */
const timesOf = ({ since, until }: NonNullable<Shown['runs']>[number]) =>
  `${since.slice(11, 19)} to ${until.slice(11, 19)}:`;

const shareText = ({ failed, total, share }: Shown['answers'], how = 'failed'): string =>
  `${number(failed)} of ${number(total)} ${how} (${percentText(share ?? 0)})`;

/** How many answers failed; or were slow, or lack a value, where that is what is wrong. */
function answersText({ kind, answers }: Shown): string {
  const { failed, flawed } = answers;
  const failures = failed === 0 ? 'none failed' : shareText(answers);
  if (flawed === undefined) return failures;
  return `${failures}; ${shareText(flawed, kind === 'slow' ? 'slow' : 'lack the value')}`;
}

/** Since when it lasts, and when it first began if it reopened. */
function sinceText({ since, last, state, firstAt, reopened, worsenedAt }: Shown, at: string): string {
  const until = state === 'open' ? at : last;
  const worse = worsenedAt === undefined ? '' : `; worse since ${worsenedAt.slice(11, 19)}`;
  const first =
    firstAt === undefined ? '' : `; first at ${timeText(firstAt)}, reopened ${plural(reopened, 'time')}`;
  return `${timeText(since)}, for ${lasting(Date.parse(until) - Date.parse(since))}${worse}${first}`;
}

function callersText({ kind, callers, moreCallers, unknownCallers, affected, answers }: Shown): string {
  if (callers.length === 0)
    return affected ?? (answers.failed === 0 ? 'none got a failed answer' : 'not known');
  const named = callers.map(({ id, label, failed }) => {
    const name = label === undefined ? id : `${label} (${id})`;
    return `${name} ${number(failed)}`;
  });
  const { callers: more, failed } = moreCallers;
  const all = [
    ...named,
    ...(failed > 0 ? [`${more > 0 ? number(more) : 'some'} more ${number(failed)}`] : []),
    ...(unknownCallers === undefined ? [] : [`callers that are not known ${number(unknownCallers)}`]),
  ].join(', ');
  return kind === 'field' && affected !== undefined ? `${affected}: ${all}` : all;
}

function overText({ state, last, isQuiet }: Shown, at: string): string {
  if (state === 'ended') return `yes, since ${timeText(last)}`;
  const soon = isQuiet === true ? ', nothing since; it ends a minute after it' : '';
  return `no: last seen ${lasting(Date.parse(at) - Date.parse(last))} ago${soon}`;
}

function beforeText({ before: { changes, problem } }: Shown): readonly string[] {
  const told = changes.map(({ at, by, what }) => `${at.slice(11, 19)} ${what} (${by})`);
  if (problem !== undefined) return [...told, problem];
  return told.length > 0 ? told : ['nothing in the 15 minutes before'];
}

/** What an operator must know first about an incident, each with its label. */
function labelledTexts(one: Shown, at: string): readonly (readonly [label: string, text: string])[] {
  const { state, runs, calls, operations, requestFilter, hosts, effects, next, todo, faultText } = one;
  const how = one.kind === 'slow' ? 'slow' : calls === undefined ? 'affected' : 'failed';
  const notSent = calls === undefined || calls.notSent === 0 ? '' : `; ${number(calls.notSent)} not sent`;
  const requests = operations.map(({ name, failed }) => `${name} ${number(failed)}`).join(', ');
  const several = (label: string, texts: readonly string[]) => texts.map((text) => [label, text] as const);
  return [
    ['since', sinceText(one, at)],
    ...several(
      'runs',
      (runs ?? []).map((run) => `${timesOf(run)} ${run.cause}, ${number(run.failed)} ${how}`),
    ),
    ['fault', faultText],
    ...(calls === undefined ? [] : [['calls', `${shareText(calls, how)}${notSent}`] as const]),
    ['answers', answersText(one)],
    ['requests', requests === '' ? 'none failed' : requests],
    ...several(
      'requests',
      requestFilter && requests !== '' ? [requestsCommand(Object.entries(requestFilter))] : [],
    ),
    ['callers', callersText(one)],
    ...several(
      'hosts',
      hosts.slice(0, 5).map((host) => `${host.host}: ${host.failed} of ${host.total} ${how}`),
    ),
    ...several(
      'effects',
      effects.map(({ text }) => text),
    ),
    ...several('before', beforeText(one)),
    ...several('next', next.length > 0 || state === 'ended' ? next : ['nothing']),
    ['to do', todo.line === '' ? `see ${todo.entry} of the runbook` : todo.line],
    ['', `${todo.command}; runbook: ${todo.entry}; console: ${todo.view}`],
    ['over?', overText(one, at)],
    ['id', one.id],
  ];
}

/** An incident in lines of at most 80 columns. */
function incidentLines(one: Shown, at: string): readonly string[] {
  const state = one.state === 'open' ? one.severity.toUpperCase() : 'ENDED';
  let before = '';
  const lines = labelledTexts(one, at).map(([label, text]) => {
    const shown = label === before ? '' : label;
    before = label;
    return fold(`  ${shown}`.padEnd(LABEL), text);
  });
  return ['', fold(`${state}  `, one.text, 2), ...lines];
}

/** The command that lists what changed shortly before. */
const auditCommand = (since: string) =>
  `portico audit --since ${new Date(Date.parse(since) - BEFORE_MS).toISOString()}`;

/** What no incident explains, with where to go on. */
function otherLines(item: GatewayStatus['others'][number]): readonly string[] {
  const { severity, text, entry, view, since, next = [], todo } = item;
  const [, filter] = /^#\/requests\?(.+)$/.exec(view ?? '') ?? [];
  const commands = [todo?.command, filter && requestsCommand(new URLSearchParams(filter))];
  const links = [
    ...new Set(commands.flatMap((command) => command ?? [])),
    ...(entry === undefined ? [] : [`runbook: ${entry}`]),
    ...(view === undefined ? [] : [`console: ${view}`]),
  ].join('; ');
  const labelled =
    todo === undefined
      ? []
      : [
          ...(since === undefined
            ? []
            : [['since', timeText(since)] as const, ['before', auditCommand(since)] as const]),
          ...next.map((one) => ['next', one] as const),
          ['to do', todo.line] as const,
        ];
  return [
    fold(`${severity}: `, text, 2),
    ...labelled.map(([label, said]) => fold(`  ${label}`.padEnd(LABEL), said)),
    ...(links === '' ? [] : [fold(''.padEnd(labelled.length > 0 ? LABEL : 2), links)]),
  ];
}

/** What is wrong with a gateway, in lines of at most 80 columns: the open incidents, and a line for each that ended. */
export function incidentListLines({
  at,
  scope,
  scopeText,
  incidents,
  others,
}: GatewayStatus): readonly string[] {
  const open = incidents.filter(({ state }) => state === 'open');
  const ended = incidents.filter(({ state }) => state === 'ended');
  const seenBy = scopeText === '' ? `seen by the ${scope}` : scopeText;
  const heading = `${timeText(at)}: ${open.length === 0 ? 'no incident' : plural(open.length, 'open incident')}, ${seenBy}`;
  const also = others.flatMap(otherLines);
  const day = ended.flatMap((one) => [
    fold(`${timeText(one.last)} ended: `, one.text, 2),
    `  portico status --id ${one.id}`,
  ]);
  return [
    fold('', heading, 2),
    ...open.flatMap((one) => incidentLines(one, at)),
    ...(also.length === 0 ? [] : ['', 'Also:', ...also]),
    ...(day.length === 0 ? [] : ['', 'Within the last day:', ...day]),
  ];
}

/** One incident in lines of at most 80 columns. */
export const oneIncidentLines = ({ at, incident }: ActionValue<'incident'>): readonly string[] =>
  incidentLines(incident, at).slice(1);

/** How bad it is: 0 fine, 1 a warning, 2 critical. */
export function severityOf(incidents: readonly Shown[], others: GatewayStatus['others'] = []): 0 | 1 | 2 {
  const open = incidents.filter(({ state }) => state === 'open');
  const all = [...open, ...others].map(({ severity }) => severity);
  if (all.includes('critical')) return 2;
  return all.includes('warning') ? 1 : 0;
}
