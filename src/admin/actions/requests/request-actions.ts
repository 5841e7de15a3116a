// The actions that list requests that failed or were slow, and show one of them with its timings: for the console and
// `portico requests`.

import type { Clock } from '../../../kernel/clock.ts';
import { createSerialQueue } from '../../../kernel/semaphore.ts';
import { INDEX_MS, type FleetTraceIndex } from '../../../store/fleet/fleet-trace-index.ts';
import { tryParseJson } from '../../../kernel/json/try-parse-json.ts';
import { keptKindOf, type RecentRequests } from '../../../telemetry/requests/recent-requests.ts';
import { type RequestTrace, requestTrace } from '../../../telemetry/requests/request-trace.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionInput, ActionValue } from '../../api/action-table.ts';
import type { ActionHandlers } from '../act.ts';
import { sinceOf } from '../audit-actions.ts';

/** What the actions on requests need. */
export type RequestActionsDeps = {
  readonly recent: Pick<RecentRequests, 'slowMs' | 'traces' | 'oldest'>;
  /** The request traces of the fleet; absent without Redis. */
  readonly requestIndex: Pick<FleetTraceIndex, 'read'> | undefined;
  readonly clock: Pick<Clock, 'now'>;
};

type Listed = ActionValue<'requests'>;
type Input = ActionInput<'requests'>;

/** A search among the request traces of the fleet. */
type Search = {
  readonly fromMs: number;
  readonly untilMs?: number;
  /** Texts that the JSON of a wanted trace contains: one at least of each list. */
  readonly marks: readonly (readonly string[])[];
  readonly isWanted: (trace: RequestTrace) => boolean;
  /** How many traces are enough. */
  readonly limit: number;
};

const LIMIT_DEFAULT = 100;
const NO_REDIS = 'Redis does not answer, so requests of other gateways are missing';

/** How many requests a listing has at most. */
export const limitOf = ({ limit }: Pick<Input, 'limit'>) =>
  limit === undefined ? LIMIT_DEFAULT : Number(limit);

/** Reads a trace from Redis; `undefined` if the text has another shape. */
function traceIn(text: string): RequestTrace | undefined {
  const read = requestTrace.safeParse(tryParseJson(text));
  return read.success ? read.data : undefined;
}

/** The end of the time that is asked for. @throws ActionRefusal if it is before the beginning */
function untilOf({ until }: Input, fromMs: number, now: number): number {
  if (until === undefined) return Infinity;
  const untilMs = sinceOf(until, now, 'until');
  if (untilMs >= fromMs) return untilMs;
  const reason = `until: ${until} is before ${new Date(fromMs).toISOString()}, since when requests are listed`;
  throw new ActionRefusal('bad_input', reason, 'name a later until, or an earlier since');
}

function hasStatus({ status, slow }: RequestTrace, wanted: string): boolean {
  if (wanted === 'slow') return slow;
  if (wanted === 'failed') return slow || status >= 500;
  return wanted.endsWith('xx') ? String(status).startsWith(wanted.charAt(0)) : String(status) === wanted;
}

/** Compiles the filter of a listing. */
function compileIsWanted(
  { status, operation, code, source, caller }: Input,
  fromMs: number,
  untilMs: number,
) {
  return function isWanted(trace: RequestTrace): boolean {
    const at = Date.parse(trace.at);
    return (
      at >= fromMs &&
      at <= untilMs &&
      (status === undefined || hasStatus(trace, status)) &&
      (operation === undefined || trace.operation === operation) &&
      (code === undefined || trace.code === code) &&
      (source === undefined || trace.source === source) &&
      (caller === undefined || trace.caller === caller)
    );
  };
}

/** The texts of which the JSON of a failed request has one: a status of 5xx, or that it was slow. */
const FAILED = ['"status":5', '"slow":true'];

/**
 * Texts that the JSON of a wanted trace contains, at least one of each list. They rule out most traces without parsing,
 * because parsing the traces of two days would block the event loop.
 */
function marksOf({ status, operation, code, source, caller }: Input): Search['marks'] {
  const fields = Object.entries({ operation, code, source, caller });
  const given = fields.filter(([, value]) => value !== undefined);
  const isClass = status?.endsWith('xx') === true;
  const byStatus = status === 'slow' ? '"slow":true' : `"status":${isClass ? status.charAt(0) : status}`;
  return [
    ...given.map(([name, value]) => [`"${name}":${JSON.stringify(value)}`]),
    ...(status === undefined ? [] : [status === 'failed' ? FAILED : [byStatus]]),
  ];
}

/** A request in a list: without its timings, its error and its plan. */
function summaryOf(trace: RequestTrace): Listed['requests'][number] {
  const { timings: _steps, timingsLeftOut: _left, plan: _plan, ...rest } = trace;
  const { reason: _reason, detail: _detail, cause: _cause, ...summary } = rest;
  return summary;
}

function detailsOf(trace: RequestTrace, scope: Listed['scope']): ActionValue<'request'> {
  const { code, reason, detail, cause, timings, timingsLeftOut, plan } = trace;
  return {
    scope,
    ...summaryOf(trace),
    ...{ timings, timingsLeftOut, plan },
    ...(code !== undefined && { error: { code, reason, detail, cause, entry: code } }),
  };
}

/** The newest of some requests, each once. */
export function newestOf<T extends { readonly at: string; readonly requestId: string }>(
  all: readonly T[],
  limit: number,
): readonly T[] {
  const once = new Map(all.map((one) => [one.requestId, one]));
  return [...once.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit);
}

/**
 * Since when all requests like the wanted ones are kept; `undefined`: none of the time is gone. A request that is gone ended before
 * the oldest one that is kept.
 */
function completeSince(
  oldest: readonly RequestTrace[],
  wanted: readonly RequestTrace[],
  fromMs: number,
): string | undefined {
  const kinds = new Set((wanted.length > 0 ? wanted : oldest).map(keptKindOf));
  const ends = oldest
    .filter((one) => kinds.has(keptKindOf(one)))
    .map(({ at, durationMs }) => Date.parse(at) + durationMs);
  const last = Math.max(fromMs, ...ends);
  return last === fromMs ? undefined : new Date(last).toISOString();
}

/** Creates the actions on requests: those of this process, and those of the fleet if there is Redis. */
export function createRequestActions({ recent, requestIndex, clock }: RequestActionsDeps): ActionHandlers {
  const startedAt = clock.now();
  // A look-up may read megabytes, so only one runs at a time.
  const oneByOne = createSerialQueue();

  /** Finds wanted traces of the fleet until there are enough, and the oldest of full lists; `undefined` if Redis does not answer. */
  async function readFleet({ fromMs, untilMs, marks, isWanted, limit }: Search) {
    const found: RequestTrace[] = [];
    const full: RequestTrace[] = [];
    if (requestIndex === undefined) return { found, full };
    try {
      for await (const { texts, oldest } of requestIndex.read(fromMs, untilMs)) {
        full.push(...oldest.flatMap((text) => traceIn(text) ?? []));
        for (const text of texts) {
          const trace = marks.every((any) => any.some((mark) => text.includes(mark)))
            ? traceIn(text)
            : undefined;
          if (trace !== undefined && isWanted(trace)) found.push(trace);
        }
        if (found.length >= limit) break;
      }
      return { found, full };
    } catch {
      return undefined;
    }
  }

  return {
    async requests(input) {
      const now = clock.now();
      const keptFrom = requestIndex === undefined ? startedAt : now - INDEX_MS;
      const asked = input.since === undefined ? keptFrom : sinceOf(input.since, now);
      const fromMs = Math.max(asked, keptFrom);
      const untilMs = untilOf(input, fromMs, now);
      const limit = limitOf(input);
      const isWanted = compileIsWanted(input, fromMs, untilMs);
      const search = { fromMs, untilMs, marks: marksOf(input), isWanted, limit };
      const fleet = await oneByOne(() => readFleet(search));
      const all = [...(fleet?.found ?? []), ...recent.traces().filter(isWanted)];
      const isFleet = requestIndex !== undefined && fleet !== undefined;
      return {
        scope: isFleet ? 'fleet' : 'process',
        since: new Date(isFleet ? fromMs : Math.max(fromMs, startedAt)).toISOString(),
        ...(untilMs < Infinity && { until: new Date(untilMs).toISOString() }),
        completeSince: completeSince([...(fleet?.full ?? []), ...recent.oldest()], all, fromMs),
        slowMs: recent.slowMs,
        notes: fleet === undefined ? [NO_REDIS] : [],
        requests: newestOf(all, limit).map(summaryOf),
      };
    },
    async request({ id }) {
      const isWanted = ({ requestId, traceId, clientRequestId }: RequestTrace) =>
        requestId === id || traceId === id || clientRequestId === id;
      const [own] = newestOf(recent.traces().filter(isWanted), 1);
      if (own !== undefined) return detailsOf(own, 'process');
      const search = { fromMs: clock.now() - INDEX_MS, marks: [[id]], isWanted, limit: 1 };
      const fleet = await oneByOne(() => readFleet(search));
      const [found] = newestOf(fleet?.found ?? [], 1);
      if (found !== undefined) return detailsOf(found, 'fleet');
      const missing = fleet === undefined ? `; ${NO_REDIS}` : '';
      const reason = `no failed or slow request with the id ${id} is kept${missing}`;
      const hint = 'requests that were answered in time are only in the log: search it for the id';
      throw new ActionRefusal('not_found', reason, hint);
    },
  };
}
