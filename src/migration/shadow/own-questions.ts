// Asks both sources Portico's own questions, by which the judge learns whether the new source fails only for one caller.

import { queryKey, type Query, queryShape } from '../../contract/query.ts';
import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import { resultWithin } from '../../kernel/result-within.ts';
import { hasRecords, readListBody } from '../compare/read-body.ts';
import type { OwnAnswers } from '../judge/carry-out-decision.ts';
import { answerOf, type AskAtLowPriority, createAskAtLowPriority } from '../tasks/ask-at-low-priority.ts';
import { firstPageQuery } from '../tasks/sample-questions.ts';
import type { ComparerDeps } from './comparer.ts';

/** Questions that Portico asks by itself about one resource. No caller chooses them. */
export type OwnQuestions = ReturnType<typeof createOwnQuestions>;

/** What own questions need. `timeLimitMs`: the time limit of each call, as for callers. `random`: from 0, and below 1. */
type OwnQuestionsDeps = Pick<ComparerDeps, 'resource' | 'sources' | 'clock'> & {
  readonly timeLimitMs: number;
  readonly random: () => number;
};

/** How many questions are asked in one round, and for how long their answers count. */
const QUESTIONS = 5;
const RECENT_MS = 60_000;
/** The most answered questions that are remembered; the oldest are dropped first. */
const ANSWERED_MAX = 200;
/** How long the judge waits. Most sources answer within this time, and the judge must not wait for a source that hangs. */
const WAIT_MS = 500;
/** The time limit of a round, which goes on while the judge does not wait for it. */
const ROUND_MS = 30_000;
/** Ids are taken from one of the first pages: at most this number of pages, of at most this number of records. */
const PAGES = 5;
const PAGE_MAX = 20;

/** Whether something happened in the last minute. */
type IsRecent = (one: { readonly at: number }) => boolean;

function shuffled<T>(all: readonly T[], random: () => number): readonly T[] {
  const drawn = all.map((one) => [random(), one] as const);
  return drawn.sort(([a], [b]) => a - b).map(([, one]) => one);
}

/** Remembers the questions that both sources have answered, and chooses some from the last minute. */
function createAnswered({ clock, random }: OwnQuestionsDeps, isRecent: IsRecent) {
  type Noted = { readonly operation: string; readonly query: Query; readonly at: number };
  const noted = new Map<string, Noted>();
  function add(operation: string, query: Query): void {
    const key = `${operation} ${queryKey(query)}`;
    noted.delete(key);
    noted.set(key, { operation, query, at: clock.now() });
    const [oldest] = noted.keys();
    if (noted.size > ANSWERED_MAX && oldest !== undefined) noted.delete(oldest);
  }
  return {
    add,
    choose(operation: string, shapes: ReadonlySet<string>): readonly Query[] {
      const recent = [...noted.values()].filter((one) => one.operation === operation && isRecent(one));
      const mixed = shuffled(recent, random).map(({ query }) => query);
      const [first = [], rest = []] = [true, false].map((wanted) =>
        mixed.filter((query) => shapes.has(queryShape(query)) === wanted),
      );
      return [...first, ...rest].slice(0, QUESTIONS);
    },
  };
}

/** Creates the function that makes questions for ids or pages that the legacy source has now. It rejects if that source fails. */
function createListing({ resource, sources, random }: OwnQuestionsDeps, askSource: AskAtLowPriority) {
  async function listPage(signal: AbortSignal, more: Parameters<typeof firstPageQuery>[1] = {}) {
    const answer = answerOf(await askSource(sources.legacy, firstPageQuery(resource, more), signal));
    return readListBody(resource, answer.found ? answer.body : '{}');
  }

  return async function listNow(kind: Query['kind'], signal: AbortSignal): Promise<readonly Query[]> {
    const first = await listPage(signal);
    const numbers = Array.from({ length: PAGES }, (_, index) => index + 1);
    // If the list is short, the pages are shorter, so that there are enough of them.
    const limit = Math.min(PAGE_MAX, Math.max(1, Math.floor(first.total / PAGES)));
    if (kind === 'list') return numbers.map((page) => firstPageQuery(resource, { page, limit }));
    const page = Math.ceil(random() * Math.min(PAGES, Math.floor(first.total / PAGE_MAX)));
    const { records } = page <= 1 ? first : await listPage(signal, { page, limit: PAGE_MAX });
    return shuffled(records, random).map(({ id }) => ({ kind, resource: resource.name, id }));
  };
}

/** Creates the questions of one resource. None is known yet. */
export function createOwnQuestions(deps: OwnQuestionsDeps) {
  const { sources, clock, timeLimitMs } = deps;
  const isRecent: IsRecent = ({ at }) => clock.now() - at <= RECENT_MS;
  const askSource = createAskAtLowPriority({ timeLimitMs });
  const answered = createAnswered(deps, isRecent);
  const listNow = createListing(deps, askSource);
  const tasks = createBackgroundTasks();
  type Asked = { readonly operation: string; readonly at: number; readonly isFailed: boolean };
  const asked = new Map<string, Asked>();
  const rounds = new Map<string, { readonly at: number; readonly answers: Promise<OwnAnswers> }>();

  /** Whether only the new source fails; `undefined` if the legacy source has no record, or the new source is busy. */
  async function failsAlone(query: Query, signal: AbortSignal): Promise<boolean | undefined> {
    const [legacy, next] = await Promise.all([
      askSource(sources.legacy, query, signal),
      askSource(sources.new, query, signal),
    ]);
    if ('error' in legacy || !hasRecords(legacy.answer)) return undefined;
    if ('answer' in next) return false;
    return next.error.code === 'overloaded' ? undefined : true;
  }

  async function round(
    operation: string,
    shapes: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<OwnAnswers> {
    const recent = answered.choose(operation, shapes);
    const kind = operation.endsWith('.get') ? 'get' : 'list';
    const more = recent.length < QUESTIONS ? await listNow(kind, signal).catch(() => []) : [];
    const questions = [...recent, ...more].slice(0, QUESTIONS);
    await Promise.all(
      questions.map(async (query) => {
        const isFailed = await failsAlone(query, signal).catch(() => undefined);
        if (isFailed !== undefined)
          asked.set(`${operation} ${queryKey(query)}`, { operation, at: clock.now(), isFailed });
      }),
    );
    for (const [key, one] of asked) if (!isRecent(one)) asked.delete(key);
    const own = [...asked.values()].filter((one) => one.operation === operation);
    return { asked: own.length, failed: own.filter(({ isFailed }) => isFailed).length };
  }

  function begin(operation: string, shapes: ReadonlySet<string>) {
    const work = (signal: AbortSignal) => round(operation, shapes, signal);
    const answers = tasks.within(AbortSignal.timeout(ROUND_MS), work);
    const begun = { at: clock.now(), answers };
    rounds.set(operation, begun);
    return begun;
  }

  return {
    /** Remembers a question that both sources have just answered. */
    answered: answered.add,
    /**
     * Asks both sources five questions of an operation. It takes questions that both have answered in the last minute, first
     * those with the parameters in `shapes`; if there are too few, ids or pages that the legacy source lists now. Resolves with
     * the answers of the last minute, or with `undefined` if they are not there yet; then call it again. It never rejects.
     */
    async ask(operation: string, shapes: ReadonlySet<string>): Promise<OwnAnswers | undefined> {
      const known = rounds.get(operation);
      const { answers } = known !== undefined && isRecent(known) ? known : begin(operation, shapes);
      const found = await resultWithin(WAIT_MS, answers);
      if (found !== undefined) rounds.delete(operation);
      return found;
    },
    /** Aborts the questions that run, and waits for their end. */
    close: () => tasks.close(),
  };
}
