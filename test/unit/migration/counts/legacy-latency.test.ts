import type { OperationCounts } from '../../../../src/migration/counts/counts-store.ts';
import { createLegacyLatencyReader } from '../../../../src/migration/counts/legacy-latency.ts';
import { goodEvidence } from '../../../support/migration/migration-facts.ts';

describe('the latency of the legacy source', () => {
  async function read(of: Partial<Record<string, OperationCounts>>, serving = ['users']) {
    const counts = { read: () => Promise.resolve(of as Record<string, OperationCounts>) };
    const latency = createLegacyLatencyReader({ counts, compared: () => serving });
    await latency.refresh();
    latency.close();
    return latency.p99Ms('users.get');
  }

  it('is the 99th percentile of the evidence, of at least 100 calls, while both sources are asked', async () => {
    const legacyMs = { '20': 98, '110': 2 };
    expect(await read({ 'users.get': goodEvidence(100, { legacyMs }) })).toBe(110);
    expect(
      await read({ 'users.get': goodEvidence(99, { legacyMs: { '20': 97, '110': 2 } }) }),
    ).toBeUndefined();
    expect(await read({ 'users.get': goodEvidence(100, { legacyMs }) }, [])).toBeUndefined();
  });

  it('is that of the evidence before, until evidence that began anew has 100 calls', async () => {
    let calls = 200;
    let legacyMs: Record<string, number> = { '20': calls };
    let compared = ['users'];
    const counts = {
      read: () => Promise.resolve({ 'users.get': goodEvidence(calls, { legacyMs }) }),
    };
    const latency = createLegacyLatencyReader({ counts, compared: () => compared });
    const p99Ms = async () => {
      await latency.refresh();
      return latency.p99Ms('users.get');
    };
    expect(await p99Ms()).toBe(20);
    [calls, legacyMs] = [99, { '110': 99 }];
    expect(await p99Ms()).toBe(20);
    legacyMs = { '110': 100 };
    expect(await p99Ms()).toBe(110);
    compared = [];
    expect(await p99Ms()).toBeUndefined();
    latency.close();
  });

  it('is the last known one while Redis fails', async () => {
    let isGone = false;
    const counts = {
      read: () =>
        isGone ? Promise.reject(new Error('gone')) : Promise.resolve({ 'users.get': goodEvidence(200) }),
    };
    const latency = createLegacyLatencyReader({ counts, compared: () => ['users'] });
    await latency.refresh();
    isGone = true;
    await latency.refresh();
    latency.close();
    expect(latency.p99Ms('users.get')).toBe(20);
  });
});
