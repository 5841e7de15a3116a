/** Which source serves a call: the legacy one, or the one that the resource moves to. */
export type Origin = 'legacy' | 'new';

/** Why the call was not served by the origin that was chosen for it. */
export type FallbackCause = 'failed' | 'timeout' | 'invalid' | 'missing';
