import { runRow } from '../../claims/harness/run-row.ts';
import { faultyRows } from '../../claims/table.ts';

const options = { queries: 60, seed: 20_260_314, writes: 50, infer: false };

/** Twenty rows of `npm run test:claims`, each with the claim that its service breaks in the name. */
describe('a service that breaks a claim of its file is found by doctor, or never answered wrongly for', () => {
  const fast = faultyRows.filter((row) => row.fast === true);

  it.each(fast.map((row) => [row.name, row] as const))('%s', async (_name, row) => {
    const { failures } = await runRow(row, options);
    expect(failures).toEqual([]);
  });
});
