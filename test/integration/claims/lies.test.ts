import { runRow } from '../../claims/harness/run-row.ts';
import { lies } from '../../claims/table.ts';

const options = { queries: 60, seed: 20_260_314, writes: 50, infer: false };

/** Twenty rows of `npm run test:claims`, each with the claim that its service breaks in the name. */
describe('a service that breaks a claim of its file is found by doctor, or never answered wrongly for', () => {
  const fast = lies.filter((lie) => lie.fast === true);

  it.each(fast.map((lie) => [lie.name, lie] as const))('%s', async (_name, lie) => {
    const { failures } = await runRow(lie, options);
    expect(failures).toEqual([]);
  });
});
