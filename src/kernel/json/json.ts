// Reads JSON without loss, because `JSON.parse` rounds long numbers and drops all but the last of duplicate keys.

/** A JSON number that a binary float would round: its text, as written in the document. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What `readJson` returns. Objects have no prototype. */
export type Json = null | boolean | number | string | NumberText | readonly Json[] | JsonObject;

/** An object of a document. It has no prototype, so a key `__proto__` is a key like any other. */
export type JsonObject = { readonly [key: string]: Json };

/** Thrown by `readJson`. The message names the problem and the offset; it never quotes the document. */
export class JsonError extends Error {
  constructor(problem: string, offset: number) {
    super(`${problem} at offset ${offset}`);
    this.name = 'JsonError';
  }
}

/** The limit for nested objects and lists. */
export const DEPTH_MAX = 64;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A binary float holds every integer of this many digits exactly. */
export const DIGITS_MAX = 15;
/** A run of characters that ends before the text's end, an escape or a control character (RFC 8259, section 7). */
// eslint-disable-next-line no-control-regex -- the grammar is defined by control characters
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
/** Below this length a loop is faster than a regular expression. */
const SHORT_TEXT = 48;

/** A recursive-descent parser over one text; `at` is the offset of the next character. */
class JsonReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  readDocument(): Json {
    const value = this.readValue(0);
    this.skipSpace();
    if (this.at < this.text.length) this.fail('text after the document');
    return value;
  }

  private fail(problem: string): never {
    throw new JsonError(problem, this.at);
  }

  private skipSpace(): void {
    const { text } = this;
    for (;;) {
      const code = text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  /** Reads a value inside `depth` containers. */
  private readValue(depth: number): Json {
    this.skipSpace();
    switch (this.text.charCodeAt(this.at)) {
      case 0x7b:
        return this.readObject(depth);
      case 0x5b:
        return this.readArray(depth);
      case 0x22:
        return this.readText();
      case 0x74:
        return this.readWord('true', true);
      case 0x66:
        return this.readWord('false', false);
      case 0x6e:
        return this.readWord('null', null);
      default:
        return this.readNumber();
    }
  }

  private readWord<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('unexpected character');
    this.at += word.length;
    return value;
  }

  private readNumber(): Json {
    const { text, at: start } = this;
    const isNegative = text.charCodeAt(start) === 0x2d;
    let end = isNegative ? start + 1 : start;
    const first = end;
    let value = 0;
    let code = text.charCodeAt(end);
    while (code >= 0x30 && code <= 0x39 && end - first <= DIGITS_MAX) {
      value = value * 10 + code - 0x30;
      end += 1;
      code = text.charCodeAt(end);
    }
    // No point, no exponent, no leading zero, and not too many digits for a float.
    const isPlain = code !== 0x2e && code !== 0x65 && code !== 0x45 && end - first <= DIGITS_MAX;
    if (isPlain && value > 0 && text.charCodeAt(first) !== 0x30) {
      this.at = end;
      return isNegative ? -value : value;
    }
    NUMBER.lastIndex = start;
    const literal = NUMBER.exec(text)?.[0];
    if (literal === undefined) this.fail(start < text.length ? 'unexpected character' : 'unexpected end');
    this.at += literal.length;
    return literal === '0' ? 0 : new NumberText(literal);
  }

  /** Skips characters that stand for themselves; returns the code of the next one. */
  private skipPlainText(): number {
    const { text } = this;
    for (const end = this.at + SHORT_TEXT; this.at < end; this.at += 1) {
      const code = text.charCodeAt(this.at);
      if (code === 0x22 || code === 0x5c || !(code > 0x1f)) return code;
    }
    PLAIN_TEXT.lastIndex = this.at;
    this.at += PLAIN_TEXT.exec(text)?.[0].length ?? 0;
    return text.charCodeAt(this.at);
  }

  private readText(): string {
    const { text, at: start } = this;
    this.at += 1;
    let hasEscapes = false;
    for (;;) {
      const code = this.skipPlainText();
      if (code === 0x22) break;
      if (code !== 0x5c)
        this.fail(this.at < text.length ? 'control character in a text' : 'unexpected end of a text');
      hasEscapes = true;
      this.at += 2;
    }
    this.at += 1;
    if (!hasEscapes) return text.slice(start + 1, this.at - 1);
    try {
      return JSON.parse(text.slice(start, this.at)) as string;
    } catch {
      return this.fail('malformed escape before this place');
    }
  }

  /** Enters a container inside `depth` others. If it is empty, skips its end and returns true. */
  private isEmpty(depth: number, end: number): boolean {
    if (depth >= DEPTH_MAX) this.fail(`nested deeper than ${DEPTH_MAX}`);
    this.at += 1;
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== end) return false;
    this.at += 1;
    return true;
  }

  private readArray(depth: number): Json[] {
    const items: Json[] = [];
    if (this.isEmpty(depth, 0x5d)) return items;
    for (;;) {
      items.push(this.readValue(depth + 1));
      this.skipSpace();
      const next = this.text.charCodeAt(this.at);
      if (next !== 0x2c && next !== 0x5d) this.fail('expected , or ]');
      this.at += 1;
      if (next === 0x5d) return items;
    }
  }

  private readObject(depth: number): JsonObject {
    const object = Object.create(null) as Record<string, Json>;
    if (this.isEmpty(depth, 0x7d)) return object;
    for (;;) {
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== 0x22) this.fail('expected a key');
      const key = this.readText();
      if (key in object) this.fail('duplicate key');
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== 0x3a) this.fail('expected :');
      this.at += 1;
      object[key] = this.readValue(depth + 1);
      this.skipSpace();
      const next = this.text.charCodeAt(this.at);
      if (next !== 0x2c && next !== 0x7d) this.fail('expected , or }');
      this.at += 1;
      if (next === 0x7d) return object;
    }
  }
}

/**
 * Reads a JSON document (RFC 8259) without loss: integers beyond 15 digits, fractions and exponents stay text,
 * duplicate keys are refused, nesting is bounded.
 * @throws JsonError
 */
export function readJson(text: string): Json {
  return new JsonReader(text).readDocument();
}

/** Parses JSON. A number that JavaScript would write in another way, such as 19.90, keeps its digits in `JSON.stringify`. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}

/** The JSON text of a value, with all digits of its numbers. */
export function jsonText(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part instanceof NumberText ? JSON.rawJSON(part.text) : part,
  );
}
