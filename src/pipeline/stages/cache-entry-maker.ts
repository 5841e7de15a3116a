// Makes cache entries of answers: entity tag, time to live, tags for purges.

import { hash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { type CacheEntry, type PurgePosition, tagText } from '../../store/cache/cache-entry.ts';
import type { SourceAnswer } from './call.ts';

/** How long answers are kept, in seconds. */
export type Freshness = {
  /** How long "no such record" is remembered. */
  readonly notFound: number;
  /** How long after its freshness an answer is served while a new one is made in the background. */
  readonly staleWhileRevalidate: number;
  /** How long after its freshness an answer is served if no new one can be made. */
  readonly staleIfError: number;
};

/**
 * What the maker needs. An answer itself says how long it is fresh (`freshSeconds`). `freshness` says it for missing records,
 * and how long an answer may be served stale.
 */
export type EntryMakerDeps = {
  readonly clock: Clock;
  readonly freshness: Freshness;
  /** The percentage by which freshness may end early, so that not all answers expire at once. */
  readonly jitterPercent: number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
};

/** The strong entity tag of a body (RFC 9110, section 8.8.3): a part of its SHA-256, in quotes. */
export function etagOf(body: Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

const NO_BODY = Buffer.alloc(0);

/** Creates the maker. Its `purgePosition` is that of the last purge before the source was asked. */
export function createEntryMaker({ clock, freshness, jitterPercent, random }: EntryMakerDeps) {
  const keepSeconds = Math.max(freshness.staleWhileRevalidate, freshness.staleIfError);
  return function entryOf(answer: SourceAnswer, purgePosition: PurgePosition): CacheEntry {
    const { found, tags } = answer;
    const body = found ? answer.body : NO_BODY;
    const freshSeconds = found ? answer.freshSeconds : freshness.notFound;
    return {
      found,
      body,
      etag: found ? etagOf(body) : '',
      storedAt: found ? answer.storedAt : clock.now(),
      freshSeconds,
      freshMs: freshSeconds * 1_000 * (1 - (random() * jitterPercent) / 100),
      staleMs: found ? keepSeconds * 1_000 : 0,
      tags: tagText(tags),
      purgePosition,
    };
  };
}
