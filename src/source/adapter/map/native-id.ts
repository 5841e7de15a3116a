// Converts the ids of a source to the ids of the contract, such as `user_42`, and back.

import type { SourceResourceSpec, SourceSpec } from '../../../config/schema/source.ts';
import { idStartOf, targetsOf } from '../../../contract/fields.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { hasControl } from '../../../kernel/control-characters.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import { percentDecoded } from '../../../kernel/percent-decoded.ts';
import { namesDirectory } from '../request/request.ts';
import { variablesOf } from '../request/text-template.ts';
import { patternAt } from '../spec/pattern.ts';
import { CHECKED, type SpecLocation } from '../spec/spec-location.ts';
import { detailsSpec } from './row-fields.ts';

/** Converts between a source's own ids and the ids of the contract. */
export type IdCodec = {
  /** The v1 id of a native id; `undefined` if it is not usable. */
  readonly toPublic: (native: Json | undefined) => string | undefined;
  /** The native id of a v1 id; `undefined` if no record of the source can have it. */
  readonly toNative: (publicId: string) => string | undefined;
  /** Whether the source has its ids within other text. The native value cannot be rebuilt from such an id. */
  readonly isWithinText?: boolean;
  /**
   * Whether the form of the ids is a guess, because no file describes their resource, for example if a source file is read alone.
   */
  readonly isAssumed?: boolean;
  /** Whether the ids are whole numbers of any size, so it is unknown which numbers the source can store exactly. */
  readonly isAnyNumber?: boolean;
  /** The codecs of the resources that fields of these records refer to, by resource. */
  readonly references?: ReadonlyMap<string, IdCodec>;
};

/** The longest v1 id, in characters. */
const LENGTH_MAX = 128;
const WHOLE = /^\d{1,100}$/;
const CANONICAL_WHOLE = /^(0|[1-9]\d*)$/;

function createNumberCodec(start: string): IdCodec {
  return {
    isAnyNumber: true,
    toPublic(native) {
      // The fast path of nearly all ids. A larger number would be written with an exponent.
      if (typeof native === 'number' && Number.isSafeInteger(native) && native >= 0)
        return `${start}${native}`;
      const text = scalarText(native)?.trim();
      if (text === undefined || !WHOLE.test(text)) return undefined;
      return `${start}${text.replace(/^0+(?=\d)/, '')}`;
    },
    toNative(publicId) {
      const digits = publicId.slice(start.length);
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

const unescapeText = (text: string) => percentDecoded(text.replaceAll(/~([0-9a-f]{2})/g, '%$1'));

/** `.` and `..` in a path mean directories, and sources fail at control characters, so these cannot be ids. */
function isUsable(text: string | undefined): text is string {
  if (text === undefined || text === '' || text === '.' || text === '..') return false;
  return text.isWellFormed() && !hasControl(text);
}

/** Encodes any text: each character that is not allowed in a path segment becomes `~` and hex bytes. */
function createTextCodec(start: string): IdCodec {
  return {
    toPublic(native) {
      const text = scalarText(native);
      if (!isUsable(text)) return undefined;
      const id = `${start}${escapeText(text)}`;
      return id.length <= LENGTH_MAX ? id : undefined;
    },
    toNative(publicId) {
      const escaped = publicId.slice(start.length);
      const text = unescapeText(escaped);
      // Only the spelling that toPublic writes is an id, because any other would be a second name of the same record.
      return isUsable(text) && escapeText(text) === escaped ? text : undefined;
    },
  };
}

/** Extracts native ids from the text around them, by a pattern. */
function withPattern(codec: IdCodec, pattern: RegExp): IdCodec {
  return {
    ...codec,
    isWithinText: true,
    toPublic: (native) => codec.toPublic(pattern.exec(scalarText(native) ?? '')?.[1]),
  };
}

/** The largest id of each integer type in which services store ids, the smallest type first. `int53` is exact in JavaScript. */
export const INTEGER_FORMS: ReadonlyMap<string | undefined, bigint> = new Map([
  ['int32', 2n ** 31n - 1n],
  ['uint32', 2n ** 32n - 1n],
  ['int53', 2n ** 53n - 1n],
  ['int64', 2n ** 63n - 1n],
  ['uint64', 2n ** 64n - 1n],
]);

/** Compiles the test whether a native id has a form: an integer type, or a regular expression. */
function compileForm(form: string, here: SpecLocation): (native: string) => boolean {
  const largest = INTEGER_FORMS.get(form);
  const pattern = patternAt(largest === undefined ? `^(?:${form})$` : '^0*\\d{1,20}$', here);
  return (native) => pattern.test(native) && (largest === undefined || BigInt(native) <= largest);
}

/** Accepts only ids of one form, because a source may also find a record by another text and return it with its real id. */
function withForm(codec: IdCodec, isOfForm: (native: string) => boolean): IdCodec {
  return {
    toPublic: (native) => (isOfForm(scalarText(native) ?? '') ? codec.toPublic(native) : undefined),
    toNative(publicId) {
      const native = codec.toNative(publicId);
      return native !== undefined && isOfForm(native) ? native : undefined;
    },
  };
}

/**
 * Compiles the ids of a source: whole numbers (leading zeros dropped) or texts (escaped reversibly), their form, and a
 * pattern that extracts them from the text around them.
 */
export function compileIdCodec(
  { kind, pattern, form }: SourceResourceSpec['id'],
  prefix: string,
  here: SpecLocation,
): IdCodec {
  const start = idStartOf(prefix);
  const plain = kind === 'number' ? createNumberCodec(start) : createTextCodec(start);
  const codec = form === undefined ? plain : withForm(plain, compileForm(form, here.at('form')));
  return pattern === undefined ? codec : withPattern(codec, patternAt(pattern, here.at('pattern')));
}

/**
 * An id as tolerant sources compare it: without compatibility forms, case, accents' composition, white space around it and in
 * runs, a leading plus sign and leading zeros.
 */
function folded(native: string): string {
  const plain = native.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  const text = plain.replaceAll(/\s+/g, ' ').trim();
  // Two steps, each in time with the length: one pattern for both would try every zero again and again.
  const digits = /^\+?(\d+)$/.exec(text)?.[1];
  return digits === undefined ? text : digits.replace(/^0+(?=\d)/, '');
}

/** Whether two native ids are equal for a source that ignores case, spaces and the like. */
export function isSameFolded(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && folded(a) === folded(b);
}

/**
 * Compiles the codecs of the resources that fields of a resource refer to: with the ids of another source (`ids: same`), or of
 * this one. Ids that no file describes are taken for any texts.
 */
function compileTargetCodecs(
  source: SourceSpec,
  { itemFields, detailFields, spec }: Resource,
): ReadonlyMap<string, IdCodec> {
  const targets = new Set(targetsOf([...itemFields, ...detailFields]));
  return new Map(
    [...targets].flatMap((name) => {
      const [own, target] = [source.sameIds?.[name] ?? source.resources[name], spec.resources[name]];
      if (target === undefined) return [];
      const codec = compileIdCodec(own?.id ?? { kind: 'text' }, target.id.prefix, CHECKED);
      return [[name, { ...codec, isAssumed: own === undefined }] as const];
    }),
  );
}

/** Refuses ids that mean a directory, such as `..`, because the path with which details of rows are asked for holds the id. */
function withinPaths(codec: IdCodec): IdCodec {
  return {
    ...codec,
    toPublic(native) {
      const id = codec.toPublic(native);
      return id === undefined || namesDirectory(codec.toNative(id) ?? '') ? undefined : id;
    },
  };
}

/** Compiles the ids of a resource, with those of the resources that its fields refer to. */
export function compileIds(
  source: SourceSpec,
  spec: SourceResourceSpec,
  resource: Resource,
  here: SpecLocation,
): IdCodec {
  const codec = compileIdCodec(spec.id, resource.idPrefix, here);
  const details = detailsSpec(spec);
  const isInPath = details !== undefined && variablesOf(details.request.path).includes('id');
  return {
    ...(isInPath ? withinPaths(codec) : codec),
    references: compileTargetCodecs(source, resource),
  };
}
