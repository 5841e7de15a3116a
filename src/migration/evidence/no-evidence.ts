import type { OperationEvidence } from './evidence.ts';

/** The evidence of an operation of which nothing is known. */
export const NO_EVIDENCE: OperationEvidence = {
  ...{ keys: 0, mismatchedKeys: 0, served: 0, failed: 0, attributable: 0 },
  ...{ match: 0, mismatch: 0, inconclusive: 0, ignored: 0, failedNew: 0, failedLegacy: 0, failedBoth: 0 },
  critical: {},
  fallback: { failed: 0, timeout: 0, invalid: 0, missing: 0 },
  legacyMs: {},
  newMs: {},
  lagMs: {},
  recent: { keys: 0, mismatchedKeys: 0 },
  step: {
    ...{ keys: 0, mismatchedKeys: 0, served: 0, failed: 0, attributable: 0, rehearsed: 0 },
    ...{ critical: {}, servedMs: {}, legacyMs: {} },
  },
};
