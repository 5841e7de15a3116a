// Reads a whole source and counts which fields cannot be read, for `portico quality --live`.

import { sortAndFilterClaims } from '../../source/adapter/spec/capability.ts';
import type { Query } from '../../contract/query.ts';
import { type GatewayError, toGatewayError } from '../../kernel/errors/fault.ts';
import { systemClock } from '../../kernel/clock.ts';
import { pickEvenly } from '../../kernel/pick-evenly.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { createQuality, type ResourceQuality } from '../../pipeline/quality.ts';
import { createAnswerQuery, reasonText } from '../doctor/answer-request.ts';
import { openSession } from '../doctor/session/source-session.ts';
import { valueShape } from './value-shape.ts';

/** How often a shape of value stood in a field that could not be read. */
export type Shape = { readonly view: string; readonly field: string; readonly shape: string; count: number };

/** The quality of one resource, found by reading its source. */
export type LiveQuality = ResourceQuality & {
  /** Why the source was not read to its end; `undefined` if it was. */
  readonly problem: string | undefined;
  /** Records of the list that were asked for one by one: how many, and how many were not found or failed. */
  readonly single: { readonly asked: number; readonly notFound: number; readonly failed: number };
  /** Shapes of unreadable values, the most frequent first; empty unless they were asked for. */
  readonly shapes: readonly Shape[];
};

/** How many single records are asked for, besides the list. */
const SINGLE_MAX = 25;

/** The most shapes that are counted per resource. */
const SHAPES_MAX = 200;

/** Every claim about order, sorts and filters. With all of them switched off, a list is one scan of all rows. */
function everyClaim({ resource, source }: CompiledSource): ReadonlySet<string> {
  const list = source.spec.resources[resource.name]?.list;
  return new Set(['order', ...(list === undefined ? [] : sortAndFilterClaims(list))]);
}

/** Counts how often each shape of an unreadable value was seen. */
function createShapes() {
  const shapes = new Map<string, Shape>();
  return {
    add(view: string, field: string, shape: string): void {
      const key = JSON.stringify([view, field, shape]);
      const known = shapes.get(key);
      if (known !== undefined) known.count += 1;
      else if (shapes.size < SHAPES_MAX) shapes.set(key, { view, field, shape, count: 1 });
    },
    all: () => [...shapes.values()].sort((a, b) => b.count - a.count),
  };
}

/**
 * Reads all rows of a resource from its source, within the source's budget, and some records one by one, and counts
 * how many of their fields could be read. Values are never kept; with `showShapes`, shapes of unreadable values are.
 */
export async function readQuality(
  compiled: CompiledSource,
  { showShapes, stop }: { readonly showShapes: boolean; readonly stop: AbortSignal },
): Promise<LiveQuality> {
  const { resource, source } = compiled;
  const { spec } = source;
  const shapes = createShapes();
  const quality = createQuality(compiled, {
    clock: systemClock,
    ...(showShapes && { onUnreadable: (view, field, found) => shapes.add(view, field, valueShape(found)) }),
  });
  const ids = new Set<string>();
  const session = openSession(spec);
  const answer = createAnswerQuery(compiled, {
    session,
    onRecords(view, records, missingValues) {
      quality.onRecords(view, records, missingValues);
      if (view === 'list' && 'at' in records) for (const { id } of records) ids.add(id);
    },
    switchedOff: everyClaim(compiled),
    onContradicted: (claim) => void quality.contradicted(claim),
  });
  const single = { asked: 0, notFound: 0, failed: 0 };
  let problem: GatewayError | undefined;

  async function ask(query: Query): Promise<boolean> {
    return (await answer(query, stop)).found;
  }

  async function askOne(id: string): Promise<void> {
    single.asked += 1;
    try {
      if (!(await ask({ kind: 'get', resource: resource.name, id }))) single.notFound += 1;
    } catch (error) {
      single.failed += 1;
      quality.failed(error);
    }
  }

  try {
    if (resource.hasList)
      await ask({ kind: 'list', resource: resource.name, page: 1, limit: 1, sort: null, filters: [] });
  } catch (error) {
    quality.failed(error);
    problem = toGatewayError(error);
  }
  if (compiled.adapter.get !== undefined) for (const id of pickEvenly([...ids], SINGLE_MAX)) await askOne(id);
  session.close();
  return {
    ...quality.report(),
    problem: resource.hasList
      ? problem && reasonText(problem)
      : 'the contract has no list of it, so no id is known',
    single,
    shapes: shapes.all(),
  };
}
