import { type OpenBench, openBench } from './bench.ts';
import type { BenchRow } from './row.ts';
import { runRow } from './run-row.ts';

/** Makes a test of every fast row, on one bench for all of them. */
export function guaranteeRows(group: string, rows: readonly BenchRow[]): void {
  const fast = rows.filter((row) => row.fast);
  const canRun = ({ skip }: BenchRow) => skip === undefined;
  let bench: OpenBench;
  if (fast.length === 0) return;

  describe(group, () => {
    beforeAll(async () => {
      bench = await openBench({ strict: false });
    });
    afterAll(() => bench.close());

    // No `it.each`: it refuses an empty table, as of a group of which no row can run here.
    for (const row of fast.filter(canRun))
      it(`${row.id}: ${row.name}`, async () => {
        expect((await runRow(bench, row)).broken).toEqual([]);
      });

    for (const { id, name, skip } of fast.filter((row) => !canRun(row)))
      it.skip(`${id}: ${name} (not run here: ${skip})`, () => undefined);
  });
}
