import { countText } from '../../src/admin/console/page/show/units.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { type ConsoleTab, faultsOf, isClean, openAs } from './harness/console-tab.ts';
import { openDifferingScene } from './harness/differing-scene.ts';
import type { Scene } from './harness/scene.ts';

type ApiQuality = {
  readonly sources: readonly {
    readonly source: string;
    readonly resource: string;
    readonly views: readonly {
      readonly view: string;
      readonly fields: readonly {
        readonly field: string;
        readonly missing: number;
        readonly unreadable: number;
      }[];
    }[];
  }[];
};
type ApiCompare = { readonly compare: Readonly<Record<string, Readonly<Record<string, number>>>> };

/** By the verdict that the metric counts: its key in the API, and its column in the table of comparisons. */
const VERDICTS = {
  match: ['match', 2],
  mismatch: ['mismatch', 3],
  transient: ['transient', 4],
  inconclusive: ['inconclusive', 6],
  ignored: ['ignored', 7],
  failed_new: ['failedNew', 8],
  odd: ['odd', 9],
} as const;

/** The cells of each row of a table of the view. */
async function cellsOf({ page }: ConsoleTab, name: string): Promise<readonly (readonly string[])[]> {
  const rows = await page.getByRole('table', { name }).locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('td, th').allInnerTexts()));
}

/** What of the fields of a view is not as /metrics has it, or not on the page. */
async function wrongQuality({ api, gateway }: Scene, tab: ConsoleTab) {
  const { sources } = await api<ApiQuality>('quality');
  const rows = await cellsOf(tab, 'fields');
  const wrong: string[] = [];
  let unreadable = 0;
  for (const { source, resource, views } of sources)
    for (const reason of ['missing', 'unreadable'] as const) {
      const sums = new Map<string, number>();
      for (const { view, fields } of views)
        for (const one of fields) {
          sums.set(one.field, (sums.get(one.field) ?? 0) + one[reason]);
          const cells = rows.find(
            ([field, of]) => field === one.field && of === `${source} ${resource}, ${view}`,
          );
          const shown = cells?.[reason === 'unreadable' ? 2 : 3]?.split(/\s/)[0];
          if (shown !== countText(one[reason]))
            wrong.push(`${source} ${view} ${one.field}: ${shown ?? 'none'}`);
        }
      for (const [field, sum] of sums) {
        const labels = [`source="${source}"`, `field="${resource}.${field}"`, `reason="${reason}"`];
        const metric = await gateway.counted('portico_unreadable_fields_total', ...labels);
        if (sum !== metric) wrong.push(`${source} ${field} ${reason}: ${sum}, not ${metric}`);
        if (reason === 'unreadable') unreadable += metric;
      }
    }
  return { wrong, unreadable };
}

/** What of the comparisons is not as /metrics has it, or not on the page. */
async function wrongComparisons({ api, gateway }: Scene, tab: ConsoleTab) {
  const { compare } = await api<ApiCompare>('migrations/users');
  const rows = await cellsOf(tab, 'compared operations');
  const wrong: string[] = [];
  let mismatches = 0;
  for (const [operation, counts] of Object.entries(compare))
    for (const [verdict, [key, column]] of Object.entries(VERDICTS)) {
      const labels = [`operation="${operation}"`, `verdict="${verdict}"`];
      const metric = await gateway.counted('portico_migration_compare_total', ...labels);
      const cells = rows.find(([name]) => name === operation) ?? [];
      const shown = cells[column]?.trim();
      if (counts[key] !== metric)
        wrong.push(`${operation} ${verdict}: ${counts[key] ?? 'none'}, not ${metric}`);
      if (shown !== countText(metric)) wrong.push(`${operation} ${verdict} on the page: ${shown ?? 'none'}`);
      if (verdict === 'mismatch') mismatches += metric;
    }
  return { wrong, mismatches };
}

const compared: BenchRow = {
  id: 'figures-4',
  name: 'the gaps of each field and the comparisons of a migration are on the page as /metrics has them',
  async run(bench) {
    const scene = await openDifferingScene(bench);
    const tab = await openAs(bench, scene, 'viewer');
    let quality = { wrong: ['nothing was looked at'], unreadable: 0 };
    let comparisons = { wrong: ['nothing was looked at'], mismatches: 0 };
    // A view asks again every ten seconds, and comparisons may be under way.
    await tab.go('#/quality');
    const isQualityRight = async () => (quality = await wrongQuality(scene, tab)).wrong.length === 0;
    await bench.until(isQualityRight, 40_000, 500).catch(() => undefined);
    await tab.go('#/migration/users');
    const isCompareRight = async () => (comparisons = await wrongComparisons(scene, tab)).wrong.length === 0;
    await bench.until(isCompareRight, 40_000, 500).catch(() => undefined);
    const wrong = [...quality.wrong, ...comparisons.wrong];
    const { unreadable } = quality;
    const { mismatches } = comparisons;
    return promised(wrong.length === 0 && unreadable > 0 && mismatches > 0 && isClean(tab), {
      unreadable,
      mismatches,
      'not equal': wrong.join('; ') || 0,
      ...faultsOf(tab),
    });
  },
};

/** What is promised of the figures of records: their gaps, and what differs between two stores. */
export const recordFigureRows: readonly BenchRow[] = [compared];
