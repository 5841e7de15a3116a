import { migrationState } from '../../../support/migration/migration-facts.ts';
import { openShadow } from '../../../support/migration/open-shadow.ts';

describe('an answer that differs once', () => {
  it('reports what a caller was given once and the legacy source does not confirm, and puts the right answer into the cache', async () => {
    const kept: string[] = [];
    const { shadow, offer, answer, comparisons, until } = openShadow({
      state: () => migrationState({ stage: 'ramp' }),
      warm: () => (found) => Promise.resolve(void kept.push(found.found ? found.body.toString() : '')),
    });
    offer('new', answer('Bob'));
    await until(() => comparisons.length === 1);
    await shadow.close();
    expect(comparisons[0]).toMatchObject({
      ...{ verdict: 'transient', differences: [] },
      transient: { differences: [{ path: 'data.name', kind: 'value' }], isAtOnce: true, isGiven: true },
    });
    expect(kept.map((body) => body.includes('Ann'))).toEqual([true]);
  });

  it('does not stay in the cache either where the new source says a third thing later', async () => {
    const kept: string[] = [];
    const { shadow, offer, answer, comparisons, until } = openShadow({
      state: () => migrationState({ stage: 'ramp' }),
      next: () => Promise.resolve(answer('Bea')),
      warm: () => (found) => Promise.resolve(void kept.push(found.found ? found.body.toString() : '')),
    });
    offer('new', answer('Bob'));
    await until(() => comparisons.length === 1);
    await shadow.close();
    expect([comparisons[0]?.verdict, comparisons[0]?.transient?.isAtOnce]).toEqual(['inconclusive', false]);
    expect(kept.map((body) => body.includes('Bea'))).toEqual([true]);
  });

  it('is a match where the legacy source was wrong once, and confirms what the caller was given', async () => {
    const { shadow, offer, comparisons, asked, answer, until } = openShadow({
      state: () => migrationState({ stage: 'ramp' }),
      legacy: () => Promise.resolve(answer(asked.length === 1 ? 'Bob' : 'Ann')),
    });
    offer('new');
    await until(() => comparisons.length === 1);
    await shadow.close();
    expect([comparisons[0]?.verdict, comparisons[0]?.transient]).toEqual(['match', undefined]);
  });

  it('measures how often the legacy source changes by itself, not more than once in two seconds', async () => {
    let name = 'Ann';
    const { shadow, offer, answer, answered, comparisons, rereads, clock, until } = openShadow({
      legacy: () => Promise.resolve(answer(name)),
    });
    for (let count = 1; count <= 3; count += 1) {
      offer();
      await until(() => comparisons.length === count);
    }
    expect(rereads).toEqual([]);
    clock.advance(2_000);
    name = 'Bea';
    offer();
    await until(() => rereads.length === 1);
    clock.advance(2_000);
    offer('legacy', answer('Bea'));
    await until(() => rereads.length === 2);
    await shadow.close();
    expect(rereads).toEqual([['data.name'], []]);
    // Five answers of the new source that were compared, and two more of the legacy one.
    expect(answered.map(([origin]) => origin).sort()).toEqual([
      ...['legacy', 'legacy'],
      ...['new', 'new', 'new', 'new', 'new'],
    ]);
  });

  it('does not measure beyond the rate of comparisons', async () => {
    let tokens = 2;
    const { shadow, offer, comparisons, rereads, clock, until } = openShadow({
      rate: { take: () => (tokens -= 1) >= 0 },
    });
    offer();
    await until(() => comparisons.length === 1);
    clock.advance(2_000);
    offer();
    await until(() => comparisons.length === 2);
    expect([rereads, tokens]).toEqual([[], -1]);
    tokens = 2;
    offer();
    await until(() => rereads.length === 1);
    await shadow.close();
  });
});
