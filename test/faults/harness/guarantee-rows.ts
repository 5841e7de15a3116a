import { type OpenBench, openBench } from './bench.ts';
import type { FaultRow } from './row.ts';
import { runRow } from './run-row.ts';

/** Makes a test of every fast row, on one bench for all of them. */
export function guaranteeRows(group: string, rows: readonly FaultRow[]): void {
  const fast = rows.filter((row) => row.fast);
  const canRun = ({ skip }: FaultRow) => skip === undefined;
  let bench: OpenBench;
  if (fast.length === 0) return;

  describe(group, () => {
    beforeAll(async () => {
      bench = await openBench({ strict: false });
    });
    afterAll(() => bench.close());

    // No `it.each`: it refuses an empty table, as of a group of which no row can run here.
    for (const row of fast.filter(canRun))
      it(`${row.id}: ${row.fault} – ${row.expected}`, async () => {
        expect((await runRow(bench, row)).broken).toEqual([]);
      });

    for (const { id, fault, skip } of fast.filter((row) => !canRun(row)))
      it.skip(`${id}: ${fault} (not run here: ${skip})`, () => undefined);
  });
}
