import fc from 'fast-check';
import { expectModelAnswers, QUERIES, seed, startFullStack, userTruths } from './oracle.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const stack = startForAll(startFullStack);

describe('the gateway on embedded stores', () => {
  it(`answers ${QUERIES} random queries as the model of the contract does (seed ${seed})`, async () => {
    await expectModelAnswers(stack);
  });

  it(`answers every one of 300 random ids with its record (seed ${seed})`, async () => {
    const ids = fc.sample(fc.integer({ min: 0, max: userTruths.length - 1 }), { seed, numRuns: 297 });
    const wanted = [...ids.map((at) => userTruths[at]!), ...userTruths.slice(-3)];
    expect(wanted.at(-1)?.id).toBe('user_9007199254740996');
    for (const truth of wanted) {
      const response = await stack.get(`/v1/users/${truth.id}`);
      expect(await response.text()).toBe(JSON.stringify({ data: truth }));
    }
  });

  it('answers unknown ids with 404', async () => {
    const known = new Set(userTruths.map(({ id }) => id));
    const gaps = Array.from({ length: 200 }, (_, at) => `user_${at}`).filter((id) => !known.has(id));
    expect(gaps.length).toBeGreaterThan(50);
    for (const id of [...gaps, 'user_9007199254740992', 'user_9007199254740994'])
      expect((await stack.get(`/v1/users/${id}`)).status).toBe(404);
  });
});
