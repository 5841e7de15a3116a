import type { ListPlan } from '../adapter/plan/plan.ts';
import type { Capability } from '../adapter/plan/push-down.ts';
import type { ResourceConfig } from '../config/schema/gateway.ts';
import { detailBody, listBody } from '../contract/response-body.ts';
import type { GetQuery, ListQuery } from '../contract/query.ts';
import { GatewayError, invalidReply } from '../errors/fault.ts';
import type { UpstreamReply } from '../kernel/upstream-call.ts';
import type { SourceAnswer, SourceHandler } from '../policy/call.ts';
import { createCursorCheckpoints } from '../rowset/cursor-checkpoints.ts';
import { createHydration } from './hydrate.ts';
import { type Page, readPage } from './read-page.ts';
import { createRowSets, type RowSets } from './rowsets.ts';
import {
  Contradiction,
  type CallContext,
  Gone,
  Moved,
  OnlyBound,
  type SourceRuntime,
} from './source-runtime.ts';
import { createWalker, type Walker } from './walk-page.ts';

/** A page with the moment its data was read, and how long it may be served. */
type DatedPage = Page & { readonly storedAt: number; readonly freshSeconds: number };

/** Twice for each claim that an answer can rest on (an order, a sort, three filters), and a walk done again. */
const ATTEMPTS_MAX = 12;

/** What is purged with a record: `user_42` is `user:42`. */
function tagOf(id: string): string {
  return id.replace('_', ':');
}

/**
 * What a plan relies on that may be why total and rows disagree. Without its filters, the total is still believed:
 * it alone shows that no row is missing.
 */
function blamable(plan: ListPlan): readonly Capability[] {
  if (plan.kind === 'nothing') return [];
  const filters = plan.relies.filter((capability) => capability.startsWith('filter.'));
  if (filters.length > 0) return filters;
  // A total of a request of its own is not there to be compared with the rows of a scan.
  const isThere = plan.kind === 'page' ? plan.count === undefined : plan.totalCounts;
  return isThere ? ['total'] : [];
}

function twice({ message }: Moved): GatewayError {
  return invalidReply('window', `twice in a row: ${message}`);
}

function gone(): GatewayError {
  return invalidReply('rows', 'twice in a row: the list has a row that is no record by itself');
}

/** Creates the function that answers the queries of one resource from its source. */
export function createAnswer(
  source: SourceRuntime,
  cache: Pick<ResourceConfig['cache'], 'fresh'>,
  rowSets: RowSets = createRowSets(source, undefined),
  walk: Walker = createWalker(source, createCursorCheckpoints({ redis: undefined })),
): SourceHandler {
  const { resource, adapter, clock } = source;

  async function attempt(
    query: ListQuery,
    plan: ListPlan,
    context: CallContext,
    newerThan: number | undefined,
  ): Promise<DatedPage> {
    if (plan.kind === 'nothing' || plan.hydrates === undefined)
      return readPlan(query, plan, context, newerThan);
    const finish = createHydration(source, 'page');
    if (plan.hydrates === 'rows') return readPlan(query, plan, { ...context, finish }, newerThan);
    const page = await readPlan(query, plan, context, newerThan);
    try {
      return { ...page, records: await finish(page.records, context) };
    } catch (error) {
      throw error instanceof Gone ? new Gone(page.storedAt) : error;
    }
  }

  async function readPlan(
    query: ListQuery,
    plan: ListPlan,
    context: CallContext,
    newerThan: number | undefined,
  ): Promise<DatedPage> {
    const offset = (query.page - 1) * query.limit;
    const storedAt = clock.now();
    switch (plan.kind) {
      case 'nothing':
        return { records: [], total: 0, storedAt, freshSeconds: cache.fresh };
      case 'page':
        return {
          ...(await readPage(source, plan, offset, query.limit, context)),
          storedAt,
          freshSeconds: cache.fresh,
        };
      case 'scan': {
        // Rows that are here cost no call at all.
        const near = rowSets.has(plan) ? undefined : plan.walk;
        const walked = near && (await walk(near, offset, query.limit, context));
        if (walked !== undefined) {
          const isOlder = walked.storedAt < storedAt;
          return { ...walked, freshSeconds: Math.max(cache.fresh, isOlder ? source.budget.snapshot : 0) };
        }
        const page = await rowSets.page(plan, offset, query.limit, context, newerThan);
        // A page of a row set is as good as the row set, which may be older than `cache.fresh`.
        return { ...page, freshSeconds: Math.max(cache.fresh, page.freshSeconds) };
      }
    }
  }

  function switchOff(capability: Capability): void {
    if (source.switchedOff.has(capability)) return;
    source.switchedOff.add(capability);
    source.observer.contradicted(capability);
  }

  /** Attempts until the source's claims and its replies agree. */
  async function findPage(query: ListQuery, context: CallContext): Promise<DatedPage> {
    let moved: Moved | undefined;
    let disagreement: Moved | undefined;
    let missed: Gone | undefined;
    const suspects = new Set<Capability>();
    const unusable = new Set<Capability>();
    const blamed = new Set<Capability>();
    for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
      const plan = adapter.list.plan(query, source.switchedOff.union(unusable).union(blamed));
      try {
        const page = await attempt(query, plan, context, missed?.listedAt);
        // Total and rows agree without them.
        blamed.forEach(switchOff);
        return page;
      } catch (error) {
        if (error instanceof Contradiction) {
          // Rows that change between two calls look like a broken claim once, but hardly twice in one answer.
          if (suspects.has(error.capability)) switchOff(error.capability);
          suspects.add(error.capability);
        } else if (error instanceof OnlyBound) {
          // No contradiction: the source says so itself, and for this question only.
          unusable.add('total');
        } else if (error instanceof Gone) {
          // It may have been deleted since the list was read.
          if (missed !== undefined) throw gone();
          missed = error;
        } else if (error instanceof Moved && moved === undefined) {
          moved = error;
        } else if (error instanceof Moved) {
          disagreement ??= error;
          const more = blamable(plan);
          if (more.length === 0) throw twice(disagreement);
          for (const capability of more) blamed.add(capability);
          moved = undefined;
        } else {
          const isTooMuch = error instanceof GatewayError && error.code === 'scan_limit_exceeded';
          throw isTooMuch && disagreement !== undefined ? twice(disagreement) : error;
        }
      }
    }
    throw invalidReply('claims', 'the source contradicts too many of its claims');
  }

  async function answerList(query: ListQuery, context: CallContext): Promise<SourceAnswer> {
    const { records, total, storedAt, freshSeconds } = await findPage(query, context);
    const body = listBody(resource, records, { total, page: query.page, limit: query.limit });
    return {
      found: true,
      body,
      storedAt,
      freshSeconds,
      tags: [resource.name, ...records.map(({ id }) => tagOf(id))],
    };
  }

  async function answerGet(query: GetQuery, context: CallContext): Promise<SourceAnswer> {
    const request = adapter.get?.request(query.id);
    const tags = [resource.name, tagOf(query.id)];
    if (request === undefined || adapter.get === undefined) return { found: false, tags };
    const storedAt = clock.now();
    const { get } = adapter;
    const read = (reply: UpstreamReply) => get.read(reply, query.id, source.observer.fieldGap);
    const record = await source.upstream.ask(request, read, context.signal, context.usage, context.priority);
    if (record === undefined) return { found: false, tags };
    return { found: true, body: detailBody(resource, record), storedAt, freshSeconds: cache.fresh, tags };
  }

  return function answer({ query, ...context }) {
    return query.kind === 'list' ? answerList(query, context) : answerGet(query, context);
  };
}
