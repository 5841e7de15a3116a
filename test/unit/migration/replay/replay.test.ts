import { resources } from '../../../support/reference.ts';
import { queryKey } from '../../../../src/contract/query.ts';
import type { Comparison } from '../../../../src/migration/compare/comparison.ts';
import { createTrafficReplay } from '../../../../src/migration/replay/replay.ts';
import { comparison } from '../../../support/migration/comparisons.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const signal = new AbortController().signal;

/** A replay on a clock of its own; `busy` questions cannot be asked at first. */
function open(busy = 0) {
  const clock = createManualClock();
  const compared: Comparison[] = [];
  const askedMs: number[] = [];
  let refusals = busy;
  const replay = createTrafficReplay({
    resource: resources.users,
    counts: { compared: (one) => void compared.push(one) },
    clock,
    wait(ms) {
      clock.advance(ms);
      return Promise.resolve();
    },
    compareQuestion(operation, query) {
      askedMs.push(clock.monotonic());
      refusals -= 1;
      if (refusals >= 0) return Promise.resolve(undefined);
      return Promise.resolve(comparison(queryKey(query), { operation }));
    },
  });
  const done: number[] = [];
  return { replay, compared, askedMs, done, run: { signal, progress: (at: number) => void done.push(at) } };
}

describe('a replay', () => {
  test('asks each recorded question, and counts the comparison', async () => {
    const { replay, compared, done, run } = open();
    const recorded = [
      { operation: 'users.list', query: 'limit=20&sort=-name&page=3' },
      { operation: 'users.get', query: 'id=user_42' },
    ];
    expect(await replay(recorded, 5, run)).toEqual({ asked: 2, verdicts: { match: 2 } });
    expect(compared.map(({ operation, query }) => [operation, query])).toEqual([
      ['users.list', '3/20/-name/[]'],
      ['users.get', 'user_42'],
    ]);
    expect(done).toEqual([1, 2]);
  });

  test('asks no faster than the given rate', async () => {
    const { replay, askedMs, run } = open();
    await replay(
      Array<{ operation: string; query: string }>(11).fill({ operation: 'users.list', query: '' }),
      5,
      run,
    );
    expect(askedMs.at(-1)).toBe(2_000);
  });

  test('asks again what could not be asked, and says what never could', async () => {
    const { replay, run } = open(6);
    const recorded = [{ operation: 'users.get', query: 'id=user_1' }];
    expect(await replay([...recorded, ...recorded], 5, run)).toEqual({
      asked: 1,
      verdicts: { not_asked: 1, match: 1 },
    });
  });

  test.each([
    ['users.put', 'id=user_1', 'there is no operation users.put'],
    ['users.get', 'id=prod_1', 'users.get cannot be asked for: id=prod_1'],
    ['users.list', 'limit=x', 'users.list cannot be asked for: limit=x'],
  ])('asks nothing where a question is none: %s %s', async (operation, query, problem) => {
    const { replay, askedMs, run } = open();
    const good = { operation: 'users.get', query: 'id=user_1' };
    await expect(replay([good, { operation, query }], 5, run)).rejects.toThrow(problem);
    expect(askedMs).toEqual([]);
  });
});
