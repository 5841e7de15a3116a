import { readFileSync } from 'node:fs';
import type { IncidentView } from '../../../src/admin/api/incident-specs.ts';
import type { Injector } from './injector.ts';
import { untrueNext } from './next-truth.ts';
import { type Look, type Night, openIn } from './night.ts';
import { isAt, isCount, type Truth } from './truth.ts';

/** What one asks at night. */
export const questions = [
  'cause',
  'since',
  'fault',
  'requests',
  'callers',
  'before',
  'share',
  'next',
  'todo',
  'over',
] as const;

/** A question at night. */
export type Question = (typeof questions)[number];

/** What the incident of a fault has to be. */
export type Expected = Pick<IncidentView, 'kind' | 'subject' | 'fault'> & {
  readonly cause: RegExp;
  /** The entry of the runbook that helps. */
  readonly entry: string;
  /** The line of the entry that helps, if it is not `Do`. */
  readonly advice?: string;
  /** Who logs the calls that tell whether what comes next has come. */
  readonly injector: ((night: Night) => Injector) | undefined;
  /** What the operator does beside the reloads of before. */
  readonly alsoBefore?: readonly RegExp[];
  /** The audit stands in what is lost: it is said that changes may be missing, and they are there once it is back. */
  readonly isAuditLost?: boolean;
  /** Answers count once it is noticed, so who is affected is certain, and how often is not told too high. */
  readonly areNamesCertain?: boolean;
};

/** What a place said of an incident while it lasted, once its effects were over, and after it. */
export type Views = {
  /** When the first was read. */
  readonly at: number;
  readonly early: Partial<IncidentView> | undefined;
  readonly late: Partial<IncidentView> | undefined;
  readonly over: Partial<IncidentView> | undefined;
};

export type Case = { readonly night: Night; readonly truth: Truth; readonly expected: Expected };

const show = (value: unknown) => JSON.stringify(value);

/** Whether something is counted, and not more than there is. */
const isAtMost = (told = 0, count: number) => told > 0 && (told <= count || isCount(told, count));

function sameCounts(
  told: readonly (readonly [string, number])[],
  truth: ReadonlyMap<string, number>,
  { areNamesCertain = false }: Expected,
): boolean {
  const named = new Map(told);
  const isTrue = (name: string, count: number) =>
    areNamesCertain ? isAtMost(named.get(name), count) : isCount(named.get(name), count);
  return told.length === truth.size && [...truth].every(([name, count]) => isTrue(name, count));
}

/** The change of an operator in both replicas, and their starts: each once, and nothing else. Without the audit, reloads are told. */
function beforeProblem({ early, late }: Views, { night, expected }: Case): string | undefined {
  const isLost = expected.isAuditLost === true;
  const before = (isLost ? late : early)?.before;
  const changes = before?.changes ?? [];
  const also = expected.alsoBefore ?? [];
  const isReload = (what: string) => what.startsWith('reload applied') && what.includes('limits.tiers.spare');
  const reloads = changes.filter(({ what, by }) => by === 'ada' && isReload(what));
  const [, last] = night.reloads;
  const starts = changes.filter(({ what }) => what.startsWith('a process started'));
  const pids = night.fleet.gateways.map(({ process }) => process.pid);
  const others = also.filter((pattern) => changes.some(({ what }) => pattern.test(what)));
  const isTrue =
    reloads.length === 1 &&
    reloads.every(({ at }) => last !== undefined && isBetween(at, ...last)) &&
    starts.length === 1 &&
    starts.every(({ by }) => pids.includes(Number.parseInt(by.split(':')[1] ?? '', 10))) &&
    others.length === also.length &&
    changes.length === reloads.length + starts.length + others.length &&
    early?.before?.changes.some(({ what }) => isReload(what)) === true &&
    (early.before.problem !== undefined) === isLost;
  return isTrue ? undefined : show(before);
}

const isBetween = (told: string, from: number, to: number) =>
  Date.parse(told) >= from - 1_000 && Date.parse(told) <= to + 1_000;

/** The beginning of what the runbook says is to do, read from its file. */
function runbookLine({ entry, advice = 'Do' }: Pick<Expected, 'entry' | 'advice'>): string {
  const text = readFileSync('config/docs/runbook.md', 'utf8').split(`### \`${entry}\``)[1] ?? '';
  const [, line = ''] = text.split(`**${advice}:**`);
  return line
    .trimStart()
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ');
}

function shareProblem({ late }: Views, { truth }: Case): string | undefined {
  const { calls, answers } = late ?? {};
  const isShare = (told: typeof calls | typeof answers, truly: Truth['answers']) =>
    isCount(told?.failed, truly.failed) &&
    (truly.failed === 0 || Math.abs((told?.share ?? 0) - truly.failed / truly.total) <= 0.02);
  const isTrue =
    (truth.calls === undefined ? calls === undefined : isShare(calls, truth.calls)) &&
    isShare(answers, truth.answers);
  return isTrue ? undefined : show({ calls, answers, truth: { calls: truth.calls, answers: truth.answers } });
}

function todoProblem({ early }: Views, { expected }: Case): string | undefined {
  const { todo } = early ?? {};
  // The reload shortly before may be the cause, so the line begins with it.
  const start = todo?.line.split('; else ').at(-1)?.slice(0, 60) ?? '';
  const isTrue =
    todo?.entry === expected.entry &&
    start !== '' &&
    runbookLine(expected).startsWith(start) &&
    /^(?:portico|redis-cli) /.test(todo.command) &&
    todo.view.startsWith('#/');
  return isTrue ? undefined : show(todo);
}

function overProblem({ early, over }: Views, { truth }: Case): string | undefined {
  const lateMs = Date.parse(over?.ended ?? '') - truth.last;
  const isTrue = early?.state === 'open' && over?.state === 'ended' && lateMs >= -2_000 && lateMs <= 2_000;
  return isTrue
    ? undefined
    : `${show([early?.state, over?.state, over?.ended])}, truth ${show(new Date(truth.last))}`;
}

const isRight = (isTrue: boolean, told: unknown, truth: unknown) =>
  isTrue ? undefined : `${show(told)}, truth ${show(truth)}`;

/** What is wrong about the answer to each question; `undefined`: it is true. */
const PROBLEMS: Readonly<Record<Question, (views: Views, about: Case) => string | undefined>> = {
  cause: ({ early }, { expected: { kind, subject, cause } }) =>
    isRight(
      early?.kind === kind && early.subject === subject && cause.test(early.cause ?? ''),
      [early?.kind, early?.subject, early?.cause],
      [kind, subject, String(cause)],
    ),
  since: ({ early }, { truth }) =>
    isRight(isAt(early?.since, truth.since), early?.since, new Date(truth.since)),
  fault: ({ early }, { expected }) => isRight(early?.fault === expected.fault, early?.fault, expected.fault),
  requests: ({ late }, { truth: { operations }, expected }) => {
    const told = late?.operations?.map(({ name, failed }) => [name, failed] as const);
    return isRight(told !== undefined && sameCounts(told, operations, expected), told, [...operations]);
  },
  callers: ({ late }, { truth: { callers }, expected }) => {
    // A caller with a token has no label.
    const told = late?.callers?.map(({ id, label, failed }) => [label ?? nameOf(id), failed] as const);
    const isWhole = told !== undefined && late?.moreCallers?.failed === 0;
    return isRight(isWhole && sameCounts(told, callers, expected), told, [...callers]);
  },
  before: beforeProblem,
  share: shareProblem,
  next({ at, early }, { night, expected }) {
    const untrue = untrueNext(early?.next ?? [], at, night, expected.injector?.(night));
    return untrue.length === 0 ? undefined : untrue.join('; ');
  },
  todo: todoProblem,
  over: overProblem,
};

const nameOf = (id: string) => (id.startsWith('jwt:') ? 'partner' : id);

/** What a place answers falsely, a line for each question. */
export function judge(place: string, views: Views, about: Case): ReadonlyMap<Question, string> {
  const wrong = new Map<Question, string>();
  for (const question of questions) {
    const problem = PROBLEMS[question](views, about);
    if (problem !== undefined) wrong.set(question, `${place}: ${question}: ${problem}`);
  }
  return wrong;
}

/** What a terminal shows for a question, without blanks: each of these has to stand there. */
const SHOWN: Readonly<Record<Question, (view: IncidentView) => readonly string[]>> = {
  cause: ({ cause }) => [cause],
  since: ({ since }) => [`since ${since.slice(0, 10)} ${since.slice(11, 19)} UTC`],
  fault: ({ faultText }) => [faultText],
  requests: ({ operations }) => operations.map(({ name, failed }) => `${name} ${failed}`),
  callers: ({ callers, answers, affected }) =>
    callers.length === 0
      ? [affected ?? (answers.failed === 0 ? 'none got a failed answer' : 'not known')]
      : callers.map(({ id, label, failed }) => `${label ?? ''}${label ? `(${id})` : id} ${failed}`),
  before: ({ before }) => before.changes.map(({ what }) => what),
  share: ({ kind, calls, answers }) =>
    [calls, answers].flatMap((one) =>
      one && one.failed > 0
        ? [`${one.failed} of ${one.total} ${kind === 'slow' && one === calls ? 'slow' : 'failed'}`]
        : [],
    ),
  next: ({ next }) => next,
  todo: ({ todo }) => [todo.line, todo.command],
  over: ({ state }) => [state === 'open' ? 'over? no:' : 'over? yes, since'],
};

/** Counts and times that may differ from one moment to the next. */
const plain = (text: string, isMoving: boolean) =>
  text.replaceAll(/\s|,/g, '').replaceAll(isMoving ? /\d+seconds?/g : /^$/g, '');

/** Whether the text of a terminal has what its JSON has. */
export function isShown(question: Question, looked: Look, view: IncidentView | undefined): boolean {
  if (view === undefined) return false;
  const text = plain(looked.text.get(view.id) ?? '', true);
  return SHOWN[question](view).every((part) => text.includes(plain(part, true)));
}

/** The incident of an expectation in a look. */
export const incidentIn = (looked: Look, place: 'page' | 'json', { kind }: Pick<Expected, 'kind'>) =>
  looked[place].incidents.find((one) => one.kind === kind);

/** The open incidents of a look beside the expected one. */
export const strangersIn = (looked: Look, { kind, subject }: Pick<Expected, 'kind' | 'subject'>) =>
  openIn(looked.page).filter((one) => one.kind !== kind || one.subject !== subject);
