import { createPairedReads } from '../../../../src/pipeline/list-watch/field-states.ts';

const MINUTES = 60_000;
const state = (id: number, bits: number) => ({ id: `user:${id}`, bits });

/** The comparison of two bits, and a clock that a test moves. */
function paired() {
  let now = 0;
  const reads = createPairedReads(2, { now: () => now });
  return { reads, wait: (ms: number) => (now += ms), share: () => reads.ratesOf(0) };
}

describe('records that are read again', () => {
  it('are compared with themselves, once they were read twice', () => {
    const { reads, share } = paired();
    reads.add([state(1, 0), state(2, 0)], 0);
    expect(share().now).toEqual({ records: 0, without: 0 });
    reads.add([state(1, 1)], 0);
    expect(share()).toEqual({ before: { records: 1, without: 0 }, now: { records: 1, without: 1 } });
  });

  it('count once, by their first state and their last', () => {
    const { reads, share } = paired();
    for (const bits of [0, 1, 0, 1]) reads.add([state(1, bits)], 0);
    expect(share()).toEqual({ before: { records: 1, without: 0 }, now: { records: 1, without: 1 } });
  });

  it('have a count for each bit', () => {
    const { reads } = paired();
    reads.add([state(1, 0)], 0);
    reads.add([state(1, 2)], 0);
    expect(reads.ratesOf(0).now.without).toBe(0);
    expect(reads.ratesOf(1).now.without).toBe(1);
  });

  it('begin a new count after five minutes, with their last state as what was before', () => {
    const { reads, share, wait } = paired();
    reads.add([state(1, 0)], 0);
    reads.add([state(1, 1)], 0);
    wait(5 * MINUTES);
    reads.window();
    expect(share().now.records).toBe(0);
    reads.add([state(1, 1)], 0);
    expect(share()).toEqual({ before: { records: 1, without: 1 }, now: { records: 1, without: 1 } });
  });

  it('are forgotten if they were read neither in this window nor in the one before', () => {
    const { reads, share, wait } = paired();
    reads.add([state(1, 0)], 0);
    wait(10 * MINUTES);
    reads.add([state(1, 1)], 0);
    expect(share().now.records).toBe(0);
  });

  it('are remembered as lacking a field while its alarm is raised, so that it can come back', () => {
    const { reads, share } = paired();
    reads.add([state(1, 0)], 0);
    reads.add([state(1, 1)], 0);
    reads.add([state(1, 0)], 1);
    expect(share()).toEqual({ before: { records: 1, without: 1 }, now: { records: 1, without: 0 } });
  });

  it('are forgotten when they are told to be', () => {
    const { reads, share } = paired();
    reads.add([state(1, 0)], 0);
    reads.clear();
    reads.add([state(1, 1)], 0);
    expect(share().now.records).toBe(0);
  });

  it('are followed up to a bound, so that they do not fill the memory', () => {
    const { reads, share } = paired();
    const all = Array.from({ length: 6_000 }, (_, id) => state(id, 0));
    reads.add(all, 0);
    reads.add(all, 0);
    expect(share().now.records).toBe(5_000);
  });
});
