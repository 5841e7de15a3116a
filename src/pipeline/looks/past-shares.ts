import { readJsonText } from '../../store/redis/envelope.ts';
import type { FieldShare } from './share.ts';

/** What looks have found of each field, by the name of its alarm. `isFrozen`: a look has seen the share jump. */
export type PastShares = Map<string, PastShare>;

/** A share in the past. */
export type PastShare = FieldShare & { readonly isFrozen: boolean };

/** What a look weighs at the next one: half of it after ten looks. A slow change is no jump. */
const WEIGHT = 0.5 ** (1 / 10);

function isKept(one: unknown): one is [string, PastShare] {
  const [claim, share] = Array.isArray(one) ? (one as readonly unknown[]) : [];
  const { records, without } = Object(share) as Record<string, unknown>;
  return typeof claim === 'string' && typeof records === 'number' && typeof without === 'number';
}

/** The shares in a text of `textOfPast`; none where it is damaged or of another version. */
export function readPast(text = ''): PastShares {
  const { version, shares } = Object(readJsonText(text)) as Record<string, unknown>;
  return new Map(version === 1 && Array.isArray(shares) ? shares.filter(isKept) : []);
}

/** A share with one more look, older ones counting less. */
export function withLook(past: FieldShare, { records, without }: FieldShare): PastShare {
  const [all, lacking] = [past.records * WEIGHT + records, past.without * WEIGHT + without];
  return { records: all, without: lacking, isFrozen: false };
}

/** The shares as a text. */
export const textOfPast = (past: PastShares) => JSON.stringify({ version: 1, shares: [...past] });
