const decided = { path: 'data.name', owner: 'ana', reason: 'known', until: '2100-01-01' };
/** A migration that sets every key. */
export const writtenMigration = {
  ...{ to: 'people', stage: 'ramp', percent: 5, bucketBy: 'caller', allow: ['abcdef'], deny: ['ghijkl'] },
  ...{ overrideHeader: 'X-Origin', steps: [5, 100], promote: 'ask' },
  shadow: { rate: 100, maxRps: 20, concurrency: 8, timeout: '1s', prewarm: false },
  recheck: { delay: '5s', maxRps: 10 },
  compare: {
    ignore: [decided],
    tolerate: [{ ...decided, abs: 1, rel: 0.1, precision: '1s', text: ['trim'] }],
    ...{ critical: ['data.email'], transientPercent: 1, showMask: ['data.email'] },
  },
  gate: {
    ...{ mismatch: 0.001, soak: '1s', step: '1s', stepRequests: 1, liveFor: '1s', quiet: '1s', failed: 0.1 },
    ...{
      inconclusive: 0.1,
      latencyFactor: 2,
      latencySlack: '1s',
      rehearsal: false,
      walk: false,
      edges: false,
    },
    file: false,
  },
  rollback: { cooldown: '1s' },
  freeze: [{ from: '2100-01-01', until: '2100-01-02', why: 'a holiday' }],
};
