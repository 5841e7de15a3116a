// Answers queries from a source. For a page it plans, reads and checks, and plans again if a reply contradicts a claim.

import type { Capability } from '../../source/adapter/spec/capability.ts';
import { detailBody, listBody, type Meta, writtenListBody } from '../../contract/response-body.ts';
import { cacheTagOf } from '../../source/adapter/row-program/written-records.ts';
import type { GetQuery, ListQuery } from '../../contract/query.ts';
import { GatewayError } from '../../kernel/errors/fault.ts';
import type { FoundAnswer, SourceAnswer, SourceHandler } from '../stages/call.ts';
import { createCursorCheckpoints } from '../../store/scan-cache/cursor-checkpoints.ts';
import {
  type DatedPage,
  errorAfter,
  nextAttempt,
  noAttempts,
  type SearchState,
} from '../reading/pages/next-attempt.ts';
import { isWritten, type PageRecords } from '../reading/pages/read-page.ts';
import { createScanCaches, type ScanCaches } from '../scan-cache/scan-caches.ts';
import { createRecordReader } from '../reading/records/read-record.ts';
import { createPlanRunner } from './run-plan.ts';
import { type CallContext, disableClaim, type SourceRuntime } from '../reading/windows/source-runtime.ts';
import { createWalker, type Walker } from '../reading/pages/walk-page.ts';
import type { ListPlan } from '../../source/adapter/plan/plan.ts';
import { windowIds } from '../../source/checks/claim.ts';
import { isPlanFailure } from '../reading/windows/plan-failure.ts';
import { readWindow } from '../reading/windows/read-window.ts';

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((id, index) => id === b[index]);

/**
 * Creates what notices that a source now gives fewer rows in a window than its file says, and then uses smaller windows.
 * That is safe, because the file allows smaller windows, and each is checked like any other. So that one bad reply is not
 * enough, three replies must agree: the first window is too short; in the smaller size it has the same rows; and the window
 * after it is full of other rows.
 */
function createSmallerWindows(source: SourceRuntime) {
  let rowsMax = Infinity;

  return {
    /** Returns the plan with windows that the source gives in full. */
    apply(plan: ListPlan): ListPlan {
      if (plan.kind === 'nothing' || plan.window.kind !== 'random' || plan.window.scanSize <= rowsMax)
        return plan;
      const window = plan.window.upTo?.(rowsMax);
      return window === undefined ? plan : { ...plan, window };
    },

    /** Whether the source gives smaller windows than the plan asks for. It remembers their size. @throws GatewayError */
    async learn(plan: ListPlan, context: CallContext): Promise<boolean> {
      if (plan.kind === 'nothing' || plan.window.kind !== 'random' || !plan.window.shortAtEnd) return false;
      const { window, request } = plan;
      const cut = await readWindow(source, request, window.scanCall(0), context);
      if (isPlanFailure(cut)) return false;
      const { received } = cut.rows;
      const isCounted = plan.kind === 'page' || (plan.totalCounts && !plan.totalIsLowerBound);
      const total = (isCounted ? cut.rows.total : undefined) ?? Infinity;
      const smaller = window.upTo?.(received);
      if (smaller === undefined || received >= Math.min(window.scanSize, total)) return false;
      const size = smaller.scanSize;
      const first = await readWindow(source, request, smaller.scanCall(0), context);
      if (isPlanFailure(first) || !isSame(windowIds(first), windowIds(cut).slice(0, size))) return false;
      const next = await readWindow(source, request, smaller.scanCall(1), context);
      if (isPlanFailure(next) || next.rows.total !== cut.rows.total) return false;
      const known = new Set(windowIds(first));
      const isBehind = next.rows.received > 0 && !windowIds(next).some((id) => known.has(id));
      const isFull = total === Infinity || next.rows.received === Math.min(size, total - size);
      if (!isBehind || !isFull) return false;
      rowsMax = size;
      return true;
    },
  };
}

/** The plan that the log names for a single record. */
const RECORD_PLAN = { kind: 'record' } as const;

/** Creates the function that finds a page. It plans and reads until the replies fit the claims that the plan depends on. */
function createPageFinder(deps: Parameters<typeof createPlanRunner>[0]) {
  const { source } = deps;
  const runPlan = createPlanRunner(deps);
  const smallerWindows = createSmallerWindows(source);

  return async function findPage(query: ListQuery, context: CallContext): Promise<DatedPage> {
    let state: SearchState = noAttempts;
    let isAsked = false;
    for (;;) {
      const { unusable, blamed, vanished } = state;
      const startMs = performance.now();
      const { disabled } = source.claims;
      // Claims that this plan must not use.
      const off = disabled.union(unusable).union(blamed);
      const plan = smallerWindows.apply(source.adapter.list.plan(query, off));
      context.usage.plan = plan;
      context.usage.timings?.add('plan', startMs, performance.now());
      const attempt = await runPlan(query, plan, context, vanished?.listedAt).catch((error: unknown) => {
        throw error instanceof GatewayError ? errorAfter(state, error) : error;
      });
      const isDisabled = (capability: Capability) => disabled.has(capability) && !off.has(capability);
      // While the page was read, a claim that it depends on was disabled.
      if (plan.kind !== 'nothing' && plan.dependsOn.some(isDisabled)) continue;
      // Perhaps no claim is wrong, but the source gives smaller windows than its file says. This is tried once in an answer.
      if (attempt.kind === 'inconsistent' && state.isMoved && !isAsked) {
        isAsked = true;
        if (await smallerWindows.learn(plan, context)) {
          state = { ...noAttempts, attempts: state.attempts };
          continue;
        }
      }
      const step = nextAttempt(state, plan, attempt);
      for (const [capability, detail] of step.newlyDisabled) disableClaim(source, capability, detail);
      if (step.kind === 'fail') throw step.error;
      if (step.kind === 'done') return step.page;
      state = step.state;
    }
  };
}

/**
 * `fresh`: how many seconds an answer that was just read may be served. `failed` throws on the error of an answer that there is
 * none.
 */
type AnswerSettings = { readonly fresh: number; readonly failed?: (error: unknown) => never };

/** Creates the function that makes answers of one resource from its source. */
export function createAnswer(
  source: SourceRuntime,
  { fresh: freshSeconds, failed }: AnswerSettings,
  scanCaches: ScanCaches = createScanCaches(source, undefined),
  walk: Walker = createWalker(source, createCursorCheckpoints({ redis: undefined })),
): SourceHandler {
  const { resource, adapter, clock } = source;
  const findPage = createPageFinder({ source, scanCaches, walk, freshSeconds });
  const readRecord = adapter.get && createRecordReader(source, adapter.get);

  /** The body of a list, and its tags: the names under which it can be purged. */
  function listOf(records: PageRecords, meta: Meta): Pick<FoundAnswer, 'body' | 'tags'> {
    if (isWritten(records)) {
      const tags = records.length === 0 ? [resource.name] : [resource.name, records.tags];
      return { body: writtenListBody(records.bytes, meta), tags };
    }
    const tags = [resource.name, ...records.map(({ id }) => cacheTagOf(resource, id))];
    return { body: Buffer.from(listBody(resource, records, meta)), tags };
  }

  async function answerList(query: ListQuery, context: CallContext): Promise<SourceAnswer> {
    const { records, total, storedAt, freshSeconds: fresh } = await findPage(query, context);
    const meta = { total, page: query.page, limit: query.limit };
    return { ...listOf(records, meta), found: true, storedAt, freshSeconds: fresh };
  }

  async function answerGet({ id }: GetQuery, context: CallContext): Promise<SourceAnswer> {
    const tags = [resource.name, cacheTagOf(resource, id)];
    const storedAt = clock.now();
    context.usage.plan = RECORD_PLAN;
    const record = await readRecord?.(id, context);
    if (record === undefined) return { found: false, tags };
    return { found: true, body: Buffer.from(detailBody(resource, record)), storedAt, freshSeconds, tags };
  }

  return function answer(call) {
    const { query } = call;
    const answered = query.kind === 'list' ? answerList(query, call) : answerGet(query, call);
    return failed === undefined ? answered : answered.catch(failed);
  };
}
