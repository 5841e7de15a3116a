import {
  bucketsBelow,
  createBuckets,
  NO_BUCKET,
  shareReaching,
} from '../../../../src/migration/routing/bucket.ts';
import { previewShare } from '../../../../src/migration/routing/ramp-preview.ts';
import { createLocalCallers } from '../../../../src/migration/routing/recent-callers.ts';
import { callerOf, openOriginStage } from '../../../support/migration/origin-stage.ts';
import { createCall } from '../../../support/pipeline/call.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const NOBODY = { allow: [], deny: [] };
const SCOPE = { salt: 'u-7f3a', resource: 'users' };

/** Fifty callers, of whom the first calls most: as often as the traffic of real callers is spread. */
function callsOfFifty(): readonly string[] {
  return Array.from({ length: 50 }, (_, i) => i).flatMap((i) =>
    Array<string>(Math.round(1_000 / (i + 1))).fill(`caller${i}`),
  );
}

describe('the preview of a share', () => {
  it('tells within one percentage point how much of the traffic the ramp then serves from the new source', async () => {
    const clock = createManualClock();
    const callers = createLocalCallers(() => clock.monotonic());
    const opened = openOriginStage();
    for (const id of callsOfFifty())
      callers.count(createBuckets(SCOPE)(`key:${id}`), createCall({ principal: callerOf(id) }));
    for (const percent of [5, 10, 25, 50]) {
      opened.is({ stage: 'ramp', percent });
      let reached = 0;
      const calls = callsOfFifty();
      for (const id of calls) if ((await opened.ask({ principal: callerOf(id) })).by === 'new') reached += 1;
      const { callsPercent } = previewShare(await callers.list([]), percent, NOBODY);
      expect(Math.abs(callsPercent - (reached / calls.length) * 100)).toBeLessThanOrEqual(1);
    }
  });

  it('counts the callers of the lists in or out, and names the largest', async () => {
    const callers = createLocalCallers(() => 0);
    const count = (id: string, calls: number) => {
      for (let i = 0; i < calls; i += 1) callers.count(7, createCall({ principal: callerOf(id) }));
    };
    count('inner', 1);
    count('bank', 3);
    const preview = previewShare(await callers.list([]), 100, { allow: ['inner'], deny: ['bank'] });
    expect(preview).toEqual({
      ...{ percent: 100, callers: 2, reached: 1, callsPercent: 25, least: 0 },
      largest: [
        { caller: 'bank', callsPercent: 75, isReached: false },
        { caller: 'inner', callsPercent: 25, isReached: true },
      ],
    });
  });

  it('names the least share that reaches somebody, and the largest of those whom a share reaches', async () => {
    const callers = createLocalCallers(() => 0);
    const buckets = createBuckets(SCOPE);
    const ids = Array.from({ length: 24 }, (_, i) => `caller${i}`);
    ids.forEach((id, i) => {
      for (let call = 0; call < 24 - i; call += 1)
        callers.count(buckets(`key:${id}`), createCall({ principal: callerOf(id) }));
    });
    const listed = await callers.list([]);
    const { least } = previewShare(listed, 1, NOBODY);
    expect(previewShare(listed, least! - 0.01, NOBODY).reached).toBe(0);
    const { reached, largest } = previewShare(listed, least!, NOBODY);
    expect([reached, largest.filter(({ isReached }) => isReached).length]).toEqual([1, 1]);
    expect(previewShare(listed, 1, { allow: [], deny: ids }).least).toBeNull();
    for (const bucket of [0, 429_496, 429_497, 858_993, 2 ** 32 - 1]) {
      const share = shareReaching(bucket)!;
      expect([bucketsBelow(share) > bucket, bucketsBelow(share - 0.01) > bucket]).toEqual([true, false]);
    }
    expect(shareReaching(NO_BUCKET)).toBeUndefined();
  });

  it('forgets calls after an hour', async () => {
    const clock = createManualClock();
    const callers = createLocalCallers(() => clock.monotonic());
    callers.count(1, createCall({ principal: callerOf('ana') }));
    clock.advance(3_600_000);
    expect(await callers.list([])).toEqual([]);
  });
});
