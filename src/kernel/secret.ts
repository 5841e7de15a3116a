import { inspect } from 'node:util';
import { createHash } from 'node:crypto';

/** A secret text that prints, logs and serialises as `***`; only `reveal()` gives it away. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [inspect.custom](): string {
    return '***';
  }
}

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
