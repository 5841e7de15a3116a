import { createCounts } from '../../contracts/harness/counts.ts';
import { runMutatedContracts } from '../../contracts/harness/mutated-cases.ts';
import { runRandomContracts } from '../../contracts/harness/random-cases.ts';

/** A small part of `npm run test:contracts`, always the same. */
const SEED = 20_260_301;

describe('any contract', () => {
  it('is kept in front of any source, as an oracle has it that reads the same file by itself', async () => {
    const { cases, wrong } = await runRandomContracts(
      { seed: SEED, contracts: 8, questions: 20 },
      createCounts(),
    );
    expect(wrong).toEqual([]);
    expect(cases).toBe(160);
  });

  it('with a change is refused with its line and a hint, or served, and rightly', async () => {
    const { refused, served, wrong } = await runMutatedContracts(
      { seed: SEED, mutations: 40 },
      createCounts(),
    );
    expect(wrong).toEqual([]);
    expect(Math.min(refused, served)).toBeGreaterThan(5);
  });
});
