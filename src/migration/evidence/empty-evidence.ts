// The evidence of an operation before anything was counted.

import type { OperationEvidence } from './evidence.ts';
import { operationEvidence } from './evidence-store.ts';

const NO_KEYS = { keys: 0, mismatchedKeys: 0 };

/** The evidence with all counts at zero. */
export const EMPTY_EVIDENCE: OperationEvidence = operationEvidence(
  {
    counts: {},
    step: {},
    keys: { all: NO_KEYS, step: NO_KEYS, recent: NO_KEYS },
    ...{ critical: [], transient: [], failing: [] },
    lastFallbackAt: 0,
  },
  0,
);
