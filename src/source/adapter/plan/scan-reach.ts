import type { SourceSpec } from '../../../config/schema/source.ts';
import type { ScanPlan } from './plan.ts';

type Reach = { readonly rows: number; readonly calls: number };

/** The most rows that a scan can bring, and the most calls it takes for them. */
export function scanReach(
  { window, detailFetch }: Pick<ScanPlan, 'window' | 'detailFetch'>,
  { rows, calls }: Pick<SourceSpec['budget'], 'rows' | 'calls'>,
): Reach {
  if (detailFetch === 'rows') {
    // A window takes one call, and each of its rows takes another one.
    const size = window.kind === 'sequential' ? window.first.size : window.scanSize;
    const windows = Number.isFinite(size) ? Math.max(1, Math.floor(calls / (size + 1))) : 1;
    const reach = scanReach({ window, detailFetch: undefined }, { rows, calls: windows });
    return { rows: Math.min(reach.rows, calls - 1), calls };
  }
  if (window.kind === 'sequential') return { rows: Math.min(rows, calls * window.first.size), calls };
  const { scanSize, depthMax, shortAtEnd } = window;
  if (!Number.isFinite(scanSize)) return { rows, calls: 1 };
  const reach = Math.min(rows, calls * scanSize, depthMax);
  // One more call looks behind the last row. If windows may be short anywhere, any number of calls may be needed.
  return { rows: reach, calls: shortAtEnd ? Math.min(calls, Math.ceil(reach / scanSize) + 1) : calls };
}
