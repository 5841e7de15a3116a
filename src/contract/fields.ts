// The fields of a resource: their kinds, the check of a value before it is sent, and its JSON Schema for OpenAPI.

import { Decimal } from '../kernel/decimal.ts';
import { isScalar, type KnownValue, type ListElement, ListValue } from './list-value.ts';

/** The kinds of fields that a contract file can declare. */
export const fieldKinds = [
  'text',
  'integer',
  'decimal',
  'boolean',
  'datetime',
  'date',
  'enum',
  'reference',
  'list',
] as const;

/**
 * The kind of a field. The canonical value of an integer or a decimal is a `Decimal`, of a boolean a boolean, of a list a
 * `ListValue`, and of every other kind a `string`.
 */
export type FieldKind = 'id' | (typeof fieldKinds)[number];

/** A canonical value of a field; `null` means unknown. */
export type Value = KnownValue | ListValue | null;

/** A schema of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The settings that the check and the schema of a field's values are made from. */
type KindSettings = {
  readonly kind: FieldKind;
  /** Whether the value is never `null`. */
  readonly required?: boolean | undefined;
  readonly description?: string | undefined;
  readonly example?: unknown;
  /** The values of an `enum`, in their order. */
  readonly values?: readonly string[] | undefined;
  /** The pattern of the ids in an `id` or a `reference`. */
  readonly idPattern?: RegExp | undefined;
  /** The shape of a `list`. */
  readonly list?: ListShape | undefined;
};

/** The shape of a list: at most `max` elements, which are values and never `null`, or objects with fields. */
export type ListShape = {
  readonly max: number;
  /** Whether the order of its elements means nothing. */
  readonly unordered: boolean;
  readonly of: Field | readonly Field[];
};

/** The meaning of a field's values, as `means` of a contract file says it; `portico infer` finds columns by it. */
export type FieldMeaning =
  | 'person_name'
  | 'title'
  | 'email'
  | 'url'
  | 'picture'
  | 'category'
  | 'place'
  | 'prose'
  | 'description'
  | 'amount'
  | 'created';

/** One field of a view (of the items of a list, or of a single record): its path, its kind, and a check of its value. */
export type Field = {
  readonly path: readonly string[];
  /** The path with points, such as `profile.bio`. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  /** The values of an `enum`, in the contract's order. */
  readonly values?: readonly string[] | undefined;
  /** The resource that a `reference` leads to. */
  readonly to?: string | undefined;
  /** For an `id` or a `reference`: the number of characters before the source's own id, such as 5 for `user_`. */
  readonly idStart?: number | undefined;
  /** The smallest number that a filter takes. */
  readonly minimum?: number | undefined;
  /** The shape of a `list`. */
  readonly list?: ListShape | undefined;
  /** Whether its values can identify a person. In a list of objects, each field of an object says so itself. */
  readonly personal: boolean;
  /** Other names that sources may have for it, for `portico infer`. */
  readonly aliases: readonly string[];
  /** What its values mean, for `portico infer`, such as `person_name`. */
  readonly means?: FieldMeaning | undefined;
  /** Whether a value is canonical and allowed. The last check before a client, so it allocates nothing. */
  readonly accepts: (value: unknown) => boolean;
  readonly schema: JsonSchema;
  /** Whether a filter compares it with an exact text. A text with unprintable characters is then no valid value. */
  readonly isLabel: boolean;
};

/** The resources that fields refer to, elements of lists included. */
export function targetsOf(fields: readonly Field[]): readonly string[] {
  return fields.flatMap(({ to, list }) => (list === undefined ? (to ?? []) : targetsOf([list.of].flat())));
}

const DATETIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const isTextLike = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);

function acceptsObject(fields: readonly Field[], element: ListElement): boolean {
  if (isScalar(element)) return false;
  for (const { name, accepts } of fields) if (!accepts(element[name])) return false;
  return true;
}

function acceptsList({ max, of }: ListShape): (value: unknown) => boolean {
  const fits = 'kind' in of ? of.accepts : (element: unknown) => acceptsObject(of, element as ListElement);
  return (value) => {
    if (!(value instanceof ListValue) || value.length > max) return false;
    for (const element of value.elements) if (!fits(element)) return false;
    return true;
  };
}

const NO_LIST: ListShape = { max: 0, unordered: false, of: [] };

/** The check of a value that is not null. */
function acceptsOf(settings: KindSettings): (value: unknown) => boolean {
  // A setting is read only for the kind that has it. The defaults are for a contract that was refused.
  const { kind, values = [], idPattern = /^$/, list = NO_LIST } = settings;
  switch (kind) {
    case 'text':
      return (value) => typeof value === 'string';
    case 'integer':
      return (value) => value instanceof Decimal && value.scale === 0;
    case 'decimal':
      return (value) => value instanceof Decimal;
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'datetime':
      return isTextLike(DATETIME);
    case 'date':
      return isTextLike(DATE);
    case 'enum': {
      const allowed: ReadonlySet<unknown> = new Set(values);
      return (value) => allowed.has(value);
    }
    case 'id':
    case 'reference':
      return isTextLike(idPattern);
    case 'list':
      return acceptsList(list);
  }
}

/** Compiles the check of a field's canonical value: whether it has the right type and form, or is an allowed `null`. */
export function compileAccepts(settings: KindSettings): (value: unknown) => boolean {
  const accepts = acceptsOf(settings);
  return settings.required === true ? accepts : (value) => value === null || accepts(value);
}

/** The JSON type of a kind whose values have no pattern, and the example of a field that names none. */
const TYPES: Readonly<Partial<Record<FieldKind, readonly [type: string, example: unknown]>>> = {
  integer: ['integer', 3],
  decimal: ['number', 19.99],
  boolean: ['boolean', true],
};

const patternSchema = (pattern: RegExp): JsonSchema => ({ type: 'string', pattern: pattern.source });

/** The schema and the example of a kind whose values are texts with a pattern. */
function formOf({ kind, values = [], idPattern = /^$/ }: KindSettings): readonly [JsonSchema, unknown] {
  switch (kind) {
    case 'datetime':
      return [patternSchema(DATETIME), '2020-05-01T00:00:00Z'];
    case 'date':
      return [{ ...patternSchema(DATE), format: 'date' }, '2020-05-01'];
    case 'enum':
      return [{ type: 'string', enum: values }, values[0]];
    default:
      return [patternSchema(idPattern), undefined];
  }
}

function elementSchema({ of }: ListShape): JsonSchema {
  if ('kind' in of) return of.schema;
  return {
    type: 'object',
    properties: Object.fromEntries(of.map(({ name, schema }) => [name, schema])),
    required: of.map(({ name }) => name),
    additionalProperties: false,
  };
}

/** The JSON Schema of a field's value. */
export function fieldSchema(settings: KindSettings): JsonSchema {
  const { kind, required = false, description, example, list } = settings;
  const described = description === undefined ? {} : { description };
  const shown = (fallback?: unknown) => {
    const one = example ?? fallback;
    return one === undefined ? {} : { examples: [one] };
  };
  const typeOf = (type: string) => ({ type: required ? type : [type, 'null'] });
  if (list !== undefined)
    return { ...described, ...typeOf('array'), items: elementSchema(list), maxItems: list.max };
  if (kind === 'text') return { ...described, ...shown(), ...typeOf('string') };
  const [type, typical] = TYPES[kind] ?? [];
  if (type !== undefined) return { ...described, ...typeOf(type), ...shown(typical) };
  const [form, formExample] = formOf(settings);
  return { ...(required ? form : { anyOf: [form, { type: 'null' }] }), ...described, ...shown(formExample) };
}

/** The text before the source's own id in a public id: the prefix and an underscore, or nothing without a prefix. */
export function idStartOf(prefix: string): string {
  return prefix === '' ? '' : `${prefix}_`;
}

/**
 * The pattern of the public ids of a resource: prefix, underscore and one path segment. Without a prefix, it is the
 * segment alone, which must then not be `.` or `..`.
 */
export function idPatternOf(prefix: string): RegExp {
  const start = idStartOf(prefix);
  const segment = start === '' ? '(?!\\.{1,2}$)' : start;
  return new RegExp(`^${segment}[A-Za-z0-9_.~-]{1,${128 - start.length}}$`);
}
