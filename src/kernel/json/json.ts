/** A JSON number that a binary float would not hold to the digit: its text, as it stood in the document. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What `readJson` returns. Objects have no prototype. */
export type Json = null | boolean | number | string | NumberText | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** Thrown by `readJson`; the message says what is wrong and where, never what stood there. */
export class JsonError extends Error {
  constructor(problem: string, offset: number) {
    super(`${problem} at offset ${offset}`);
    this.name = 'JsonError';
  }
}

/** Containers within each other. */
export const DEPTH_MAX = 64;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Integers of so many digits are the same in a binary float. */
export const DIGITS_MAX = 15;
/** The run of characters of a text up to its end, an escape or a control character (RFC 8259, section 7). */
// eslint-disable-next-line no-control-regex -- the grammar is defined by control characters
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
/** Shorter runs are stepped over sooner than an expression has started. */
const SHORT_TEXT = 48;

/**
 * Reads a JSON document (RFC 8259) without losing anything: integers beyond 15 digits, fractions and exponents
 * stay text, duplicate keys are refused, nesting is bounded.
 * @throws JsonError
 */
export function readJson(text: string): Json {
  let at = 0;

  function fail(problem: string): never {
    throw new JsonError(problem, at);
  }

  function skipSpace(): void {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      at += 1;
    }
  }

  /** A value inside `depth` containers. */
  function readValue(depth: number): Json {
    skipSpace();
    switch (text.charCodeAt(at)) {
      case 0x7b:
        return readObject(depth);
      case 0x5b:
        return readArray(depth);
      case 0x22:
        return readText();
      case 0x74:
        return readWord('true', true);
      case 0x66:
        return readWord('false', false);
      case 0x6e:
        return readWord('null', null);
      default:
        return readNumber();
    }
  }

  function readWord<T>(word: string, value: T): T {
    if (!text.startsWith(word, at)) fail('unexpected character');
    at += word.length;
    return value;
  }

  function readNumber(): Json {
    const start = at;
    const isNegative = text.charCodeAt(at) === 0x2d;
    let end = isNegative ? at + 1 : at;
    const first = end;
    let value = 0;
    let code = text.charCodeAt(end);
    while (code >= 0x30 && code <= 0x39 && end - first <= DIGITS_MAX) {
      value = value * 10 + code - 0x30;
      end += 1;
      code = text.charCodeAt(end);
    }
    // No point, no exponent, no zero in front, and no more digits than a float holds.
    const isPlain = code !== 0x2e && code !== 0x65 && code !== 0x45 && end - first <= DIGITS_MAX;
    if (isPlain && value > 0 && text.charCodeAt(first) !== 0x30) {
      at = end;
      return isNegative ? -value : value;
    }
    NUMBER.lastIndex = start;
    const literal = NUMBER.exec(text)?.[0];
    if (literal === undefined) fail(at < text.length ? 'unexpected character' : 'unexpected end');
    at += literal.length;
    return literal === '0' ? 0 : new NumberText(literal);
  }

  /** Steps over characters that stand for themselves. */
  function skipPlainText(): number {
    for (const end = at + SHORT_TEXT; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x22 || code === 0x5c || !(code > 0x1f)) return code;
    }
    PLAIN_TEXT.lastIndex = at;
    at += PLAIN_TEXT.exec(text)?.[0].length ?? 0;
    return text.charCodeAt(at);
  }

  function readText(): string {
    const start = at;
    at += 1;
    let escaped = false;
    for (;;) {
      const code = skipPlainText();
      if (code === 0x22) break;
      if (code !== 0x5c) fail(at < text.length ? 'control character in a text' : 'unexpected end of a text');
      escaped = true;
      at += 2;
    }
    at += 1;
    if (!escaped) return text.slice(start + 1, at - 1);
    try {
      return JSON.parse(text.slice(start, at)) as string;
    } catch {
      return fail('malformed escape before this place');
    }
  }

  /** Steps over the bracket of a container that stands inside `depth` others. */
  function enter(depth: number): void {
    if (depth >= DEPTH_MAX) fail(`nested deeper than ${DEPTH_MAX}`);
    at += 1;
  }

  function readArray(depth: number): Json[] {
    const items: Json[] = [];
    enter(depth);
    skipSpace();
    if (text.charCodeAt(at) === 0x5d) return ((at += 1), items);
    for (;;) {
      items.push(readValue(depth + 1));
      skipSpace();
      const next = text.charCodeAt(at);
      if (next !== 0x2c && next !== 0x5d) fail('expected , or ]');
      at += 1;
      if (next === 0x5d) return items;
    }
  }

  function readObject(depth: number): JsonObject {
    const object = Object.create(null) as Record<string, Json>;
    enter(depth);
    skipSpace();
    if (text.charCodeAt(at) === 0x7d) return ((at += 1), object);
    for (;;) {
      skipSpace();
      if (text.charCodeAt(at) !== 0x22) fail('expected a key');
      const key = readText();
      if (key in object) fail('duplicate key');
      skipSpace();
      if (text.charCodeAt(at) !== 0x3a) fail('expected :');
      at += 1;
      object[key] = readValue(depth + 1);
      skipSpace();
      const next = text.charCodeAt(at);
      if (next !== 0x2c && next !== 0x7d) fail('expected , or }');
      at += 1;
      if (next === 0x7d) return object;
    }
  }

  const value = readValue(0);
  skipSpace();
  if (at < text.length) fail('text after the document');
  return value;
}
