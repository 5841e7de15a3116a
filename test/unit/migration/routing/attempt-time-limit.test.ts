import type { OperationEvidence } from '../../../../src/migration/evidence/evidence.ts';
import { createLegacyLatency } from '../../../../src/migration/evidence/read-legacy-latency.ts';
import { attemptLimitMs } from '../../../../src/migration/routing/attempt-time-limit.ts';
import { goodEvidence } from '../../../support/migration/migration-facts.ts';

describe('the time that the new source may take for a caller', () => {
  it.each([
    ['half of the deadline where nothing is known of the legacy source', 10_000, undefined, 5_000],
    [
      'three times what nearly all calls of the legacy source take, and what the gate allows besides',
      10_000,
      300,
      960,
    ],
    ['never more than half of the deadline', 2_000, 900, 1_000],
    ['half a second at least, so that a pause of the process is no failure', 10_000, 4, 500],
    ['half of a deadline that is short all the same', 600, 4, 300],
  ])('is %s', (_what, deadlineMs, legacyP99Ms, expected) => {
    expect(attemptLimitMs(deadlineMs, legacyP99Ms, 20)).toBe(expected);
  });
});

describe('the latency of the legacy source', () => {
  async function read(of: Partial<Record<string, OperationEvidence>>, serving = ['users']) {
    const evidence = { read: () => Promise.resolve(of as Record<string, OperationEvidence>) };
    const latency = createLegacyLatency({ evidence, serving: () => serving });
    await latency.refresh();
    latency.close();
    return latency.p99Ms('users.get');
  }

  it('is the 99th percentile of the evidence, of at least 100 calls, while the new source serves callers', async () => {
    const legacyMs = { '20': 98, '110': 2 };
    expect(await read({ 'users.get': goodEvidence(100, { legacyMs }) })).toBe(110);
    expect(
      await read({ 'users.get': goodEvidence(99, { legacyMs: { '20': 97, '110': 2 } }) }),
    ).toBeUndefined();
    expect(await read({ 'users.get': goodEvidence(100, { legacyMs }) }, [])).toBeUndefined();
  });

  it('is the last known one while Redis fails', async () => {
    let isGone = false;
    const evidence = {
      read: () =>
        isGone ? Promise.reject(new Error('gone')) : Promise.resolve({ 'users.get': goodEvidence(200) }),
    };
    const latency = createLegacyLatency({ evidence, serving: () => ['users'] });
    await latency.refresh();
    isGone = true;
    await latency.refresh();
    latency.close();
    expect(latency.p99Ms('users.get')).toBe(20);
  });
});
