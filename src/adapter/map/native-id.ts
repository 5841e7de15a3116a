import type { SourceResourceSpec } from '../../config/schema/source.ts';
import { type Json, NumberText } from '../../kernel/json/json.ts';
import { patternAt } from '../pattern.ts';
import type { SpecLocation } from '../spec-location.ts';

/** Translates between a source's own ids and the ids of the contract. */
export type IdCodec = {
  /** The v1 id of a native id; `undefined` where it is not usable. */
  readonly toPublic: (native: Json | undefined) => string | undefined;
  /** The native id behind a v1 id; `undefined` where no record of the source can have it. */
  readonly toNative: (publicId: string) => string | undefined;
};

const LENGTH_MAX = 128;
const WHOLE = /^\d{1,100}$/;
const CANONICAL_WHOLE = /^(0|[1-9]\d*)$/;

function scalarText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof NumberText ? value.text : undefined;
}

function createNumberCodec(prefix: string): IdCodec {
  return {
    toPublic(native) {
      // As nearly all are; beyond, a number is written with an exponent.
      if (typeof native === 'number' && Number.isSafeInteger(native) && native >= 0)
        return `${prefix}_${native}`;
      const text = scalarText(native)?.trim();
      if (text === undefined || !WHOLE.test(text)) return undefined;
      return `${prefix}_${text.replace(/^0+(?=\d)/, '')}`;
    },
    toNative(publicId) {
      const digits = publicId.slice(prefix.length + 1);
      return CANONICAL_WHOLE.test(digits) ? digits : undefined;
    },
  };
}

const UNSAFE = /[^A-Za-z0-9_.-]/gu;

function escapeText(text: string): string {
  return text.replaceAll(UNSAFE, (character) =>
    [...Buffer.from(character, 'utf8')].map((byte) => `~${byte.toString(16).padStart(2, '0')}`).join(''),
  );
}

function unescapeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll(/~([0-9a-f]{2})/g, '%$1'));
  } catch {
    return undefined;
  }
}

/** `.` and `..` as a segment of a path would be read as steps between folders, so they cannot be ids. */
function isUsable(text: string | undefined): text is string {
  return text !== undefined && text !== '' && text !== '.' && text !== '..' && text.isWellFormed();
}

/** Any text, with every character that does not belong into a path segment written as `~` and hex bytes. */
function createTextCodec(prefix: string): IdCodec {
  return {
    toPublic(native) {
      const text = scalarText(native);
      if (!isUsable(text)) return undefined;
      const id = `${prefix}_${escapeText(text)}`;
      return id.length <= LENGTH_MAX ? id : undefined;
    },
    toNative(publicId) {
      const escaped = publicId.slice(prefix.length + 1);
      const text = unescapeText(escaped);
      // Only the one spelling that toPublic makes is an id; others would be second names of a record.
      return isUsable(text) && escapeText(text) === escaped ? text : undefined;
    },
  };
}

/** Reads ids through a pattern that picks them out of the text around them. */
function withPattern(codec: IdCodec, pattern: RegExp): IdCodec {
  return {
    ...codec,
    toPublic: (native) => codec.toPublic(pattern.exec(scalarText(native) ?? '')?.[1]),
  };
}

/** Knows only ids of one form: a source may take others for names of a record, and return it under its own. */
function withForm(codec: IdCodec, form: RegExp): IdCodec {
  return {
    toPublic: (native) => (form.test(scalarText(native) ?? '') ? codec.toPublic(native) : undefined),
    toNative(publicId) {
      const native = codec.toNative(publicId);
      return native !== undefined && form.test(native) ? native : undefined;
    },
  };
}

/**
 * Compiles what a source says of its ids: whole numbers (leading zeros dropped) or texts (escaped reversibly), the
 * form they have, and a pattern that picks them out of the text around them.
 */
export function compileIdCodec(
  { kind, pattern, form }: SourceResourceSpec['id'],
  prefix: string,
  here: SpecLocation,
): IdCodec {
  const plain = kind === 'number' ? createNumberCodec(prefix) : createTextCodec(prefix);
  const codec = form === undefined ? plain : withForm(plain, patternAt(`^(?:${form})$`, here.at('form')));
  return pattern === undefined ? codec : withPattern(codec, patternAt(pattern, here.at('pattern')));
}
