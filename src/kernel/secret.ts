// Keeps secrets out of logs and outputs, and makes digests of values that hold secrets.

import { inspect } from 'node:util';
import { createHash } from 'node:crypto';

/** What is displayed in place of a secret, and of a value of a record that must not be shown. */
export const MASK = '***';

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
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

/** Whether JSON keeps the whole object, because it is plain, or a list, or has a `toJSON`. */
function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value) || 'toJSON' in value;
}

/**
 * A digest of a value in its JSON form, 16 characters of base64url. Secrets count with their real text. A value for which
 * `identityOf` returns a number counts with that number only, so it is compared by identity.
 * @throws Error if the value has something that JSON leaves out, such as a function or a Map
 */
export function contentDigest(
  value: unknown,
  identityOf: (value: unknown) => number | undefined = () => undefined,
): string {
  const hash = createHash('sha256');
  // A secret writes itself as `***`, so the replacer looks at the object itself.
  const text = JSON.stringify([value], function reveal(this: Record<string, unknown>, key, plain: unknown) {
    const given = this[key];
    if (given instanceof Secret) return { secret: given.reveal() };
    const identity = identityOf(given);
    if (identity !== undefined) return { identity };
    if (typeof given === 'function') throw new Error(`"${key}" is a function, which has no digest`);
    if (typeof given !== 'object' || given === null) return plain;
    if (!isData(given)) throw new Error(`"${key}" has no digest, because it is no plain data`);
    return plain;
  });
  return hash.update(text).digest('base64url').slice(0, 16);
}
