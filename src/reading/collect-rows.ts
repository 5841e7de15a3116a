import { brokenFilter } from '../adapter/plan/check-records.ts';
import type { ScanPlan } from '../adapter/plan/plan.ts';
import { createYieldToLoop } from '../kernel/yield-to-loop.ts';
import { compileRowCodec } from '../rowset/row-codec.ts';
import { createRowTable, type RowTable, rowSeed, type Segment, writeSegment } from '../rowset/row-table.ts';
import type { WindowRows } from './read-window.ts';
import { cameTwice, overBudget } from './scan-faults.ts';
import { Contradiction, type SourceRuntime } from './source-runtime.ts';

/** What is left of a window once its rows are kept. */
export type CollectedWindow = { readonly received: number; readonly segments: readonly Segment[] };

/** Takes the windows of one scan as they come, checks their rows and keeps them as bytes. */
export type RowCollector = {
  /** @throws GatewayError `scan_limit_exceeded`; Contradiction, Moved */
  readonly keep: (window: WindowRows) => Promise<CollectedWindow>;
  /** The table of all windows, in their order. */
  readonly tableOf: (windows: readonly CollectedWindow[]) => RowTable;
};

/** Rows that are checked and written at once. */
const SLICE = 128;

/** Creates the keeper of a scan, whose table gets a name. It gives up once `signal` aborts. */
export function createRowCollector(
  { resource, budget }: SourceRuntime,
  { pushedFilters }: ScanPlan,
  name: string,
  signal: AbortSignal,
): RowCollector {
  const codec = compileRowCodec(resource.itemFields);
  const seed = rowSeed(name);
  const ids = new Set<string>();
  let bytes = 0;

  /** Whether none of some ids has come before; from now on they have. */
  function areNew(more: readonly string[]): boolean {
    const before = ids.size;
    for (const id of more) ids.add(id);
    return ids.size - before === more.length;
  }

  return {
    async keep({ rows: { records, received, droppedIds = [] } }) {
      if (!areNew(droppedIds)) throw cameTwice();
      const yieldToLoop = createYieldToLoop(signal);
      const segments: Segment[] = [];
      for (let at = 0; at < records.length; at += SLICE) {
        const slice = records.slice(at, at + SLICE);
        if (!areNew(slice.map(({ id }) => id))) throw cameTwice();
        const broken = brokenFilter(slice, pushedFilters);
        if (broken !== undefined) throw new Contradiction(broken);
        const segment = writeSegment(seed, codec, slice);
        bytes += segment.bytes.length;
        if (bytes > budget.bytes) throw overBudget('bytes');
        segments.push(segment);
        await yieldToLoop();
      }
      return { received, segments };
    },
    tableOf: (windows) =>
      createRowTable(
        name,
        codec,
        windows.flatMap(({ segments }) => segments),
      ),
  };
}
