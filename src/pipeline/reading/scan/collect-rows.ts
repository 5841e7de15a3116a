// Collects the rows of a scan while the windows come in, and checks them: as compact bytes, because they stay in memory as a
// scan cache.

import type { ScanPlan } from '../../../source/adapter/plan/plan.ts';
import { contradicted, type WindowEvidence } from '../../../source/checks/claim.ts';
import { brokenFilter, ROW_EXCLUDED } from '../../../source/checks/filter.ts';
import { createYieldToLoop } from '../../../kernel/yield-to-loop.ts';
import { compileRowCodec } from '../../../store/scan-cache/row-codec.ts';
import { createRowTable, type Segment, writeSegment } from '../../../store/scan-cache/row-table.ts';
import { type PlanFailure, recordCameTwice } from '../windows/plan-failure.ts';
import { overBudget } from '../windows/scan-faults.ts';
import type { SourceRuntime } from '../windows/source-runtime.ts';

/** A collected window: its number of rows (dropped ones included), the total in its reply, and the bytes of its rows. */
export type CollectedWindow = {
  readonly received: number;
  readonly total: number | undefined;
  readonly segments: readonly Segment[];
};

/** Collects the windows of one scan. */
export type RowCollector = ReturnType<typeof createRowCollector>;

/** The rows that are checked and written before other work of the process gets its turn. */
const SLICE = 128;

/** Creates the collector of a scan. Its table gets the name `name`. It stops once `signal` aborts. */
export function createRowCollector(
  { resource, budget }: SourceRuntime,
  { pushedFilters }: ScanPlan,
  name: string,
  signal: AbortSignal,
) {
  const codec = compileRowCodec(resource.itemFields);
  const ids = new Set<string>();
  let bytes = 0;

  /** Adds ids. Returns false if one of them came before. */
  function addIds(more: readonly string[]): boolean {
    const before = ids.size;
    for (const id of more) ids.add(id);
    return ids.size - before === more.length;
  }

  return {
    /** Checks the rows of a window and writes them as bytes. @throws GatewayError `scan_limit_exceeded` if they are too many */
    collect: async ({
      rows: { records, received, total, droppedIds = [] },
    }: WindowEvidence): Promise<CollectedWindow | PlanFailure> => {
      if (!addIds(droppedIds)) return recordCameTwice;
      const yieldToLoop = createYieldToLoop(signal);
      const segments: Segment[] = [];
      for (let at = 0; at < records.length; at += SLICE) {
        const slice = records.slice(at, at + SLICE);
        if (!addIds(slice.map(({ id }) => id))) return recordCameTwice;
        const broken = brokenFilter(slice, pushedFilters);
        if (broken !== undefined) return contradicted(broken, ROW_EXCLUDED);
        const segment = writeSegment(slice.map((record) => JSON.stringify(codec.toValues(record))));
        bytes += segment.bytes.length;
        if (bytes > budget.bytes) throw overBudget('bytes');
        segments.push(segment);
        await yieldToLoop();
      }
      return { received, total, segments };
    },
    /** Makes the table of the rows of all windows, in their order. */
    tableOf: (windows: readonly CollectedWindow[]) =>
      createRowTable(
        name,
        codec,
        windows.flatMap(({ segments }) => segments),
      ),
  };
}
