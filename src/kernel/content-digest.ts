import { createHash } from 'node:crypto';
import { Secret } from './secret.ts';

/** A digest of a value in its JSON form, 16 characters of base64url. Secrets count with their text. */
export function contentDigest(value: unknown): string {
  const hash = createHash('sha256');
  // A secret writes itself as `***`, so the replacer looks at what it was made from.
  const text = JSON.stringify([value], function reveal(this: Record<string, unknown>, key, plain: unknown) {
    const given = this[key];
    return given instanceof Secret ? { secret: given.reveal() } : plain;
  });
  return hash.update(text).digest('base64url').slice(0, 16);
}
