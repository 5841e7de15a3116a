import { compareUnderWrites } from '../../support/migration/compare-under-writes.ts';

describe('comparing two stores while the legacy one is written to', () => {
  it('confirms no difference of single records that only lag, and no more than a few stay unknown', async () => {
    const found = await compareUnderWrites({
      ...{ kind: 'get', comparisons: 4_000, writesPerSecond: 5, spoilt: new Set() },
    });
    expect(found.verdicts['mismatch'] ?? 0).toBe(0);
    expect(found.verdicts['inconclusive'] ?? 0).toBeLessThanOrEqual(400);
    expect(found.furtherCalls).toBeLessThanOrEqual(0.3);
  });

  it('confirms no difference of pages that rows come to and leave', async () => {
    const found = await compareUnderWrites({
      ...{ kind: 'list', comparisons: 400, writesPerSecond: 5, spoilt: new Set() },
    });
    expect(found.verdicts['mismatch'] ?? 0).toBe(0);
  });

  it('finds every record that is wrong and was compared, and none besides', async () => {
    const spoilt = new Set(Array.from({ length: 20 }, (_, index) => 1 + index * index));
    const found = await compareUnderWrites({
      ...{ kind: 'get', comparisons: 4_000, writesPerSecond: 5, spoilt },
    });
    const wrong = [...spoilt].map((number) => `user_${number}`).filter((id) => found.asked.has(id));
    expect(wrong.filter((id) => !found.mismatched.has(id))).toEqual([]);
    expect([found.mismatched.size, wrong.length > 15]).toEqual([wrong.length, true]);
  });

  it('asks the legacy source alone again where nothing differs, once in two seconds at most', async () => {
    const found = await compareUnderWrites({
      ...{ kind: 'get', comparisons: 400, writesPerSecond: 0, spoilt: new Set() },
    });
    expect(found.verdicts).toEqual({ match: 400 });
    expect(found.furtherCalls * 400).toBeLessThanOrEqual(10);
  });
});
