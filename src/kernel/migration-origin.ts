// Names for the two sources of a migration: the legacy source of a resource, and the new one that it moves to.

/** Which source serves a call of a resource that moves: the legacy one, or the one that it moves to. */
export type Origin = 'legacy' | 'new';

/** One value for each of the two sources of a migration. */
export type ByOrigin<T> = Readonly<Record<Origin, T>>;

/**
 * Why the legacy source served a call for which the new one was chosen. `connect`: the new source was not reached. `failed`: it
 * answered with an error such as 500, or may not be asked now. `timeout`: it did not answer in time. `invalid`: its answer is no
 * v1 record. `missing`: it has no such record. `odd`: the new source failed, but the legacy one has no record for the question
 * either, so this says nothing about the records of the new source.
 */
export const fallbackCauses = ['connect', 'failed', 'timeout', 'invalid', 'missing', 'odd'] as const;

/** One of `fallbackCauses`. */
export type FallbackCause = (typeof fallbackCauses)[number];
