// The schema of a source file, and the types of its parts as they are after parsing.

import * as z from 'zod';
import type { coercion } from './mapping/coercion.ts';
import { dialect } from './dialect.ts';
import { sourceAuth, decode, net } from './net/connection.ts';
import { type filter, list } from './list/list.ts';
import { type each, mapping } from './mapping/mapping.ts';
import { perResource } from './per-resource.ts';
import { request, type requestBody } from './elements/request.ts';
import { outcome } from './elements/outcome.ts';
import { type condition, dropWhen, items } from './elements/rows.ts';
import { bytes, integer, name, timeLimit, wholeSeconds } from './elements/scalars.ts';

const get = z.strictObject({
  request,
  item: items.describe(
    'Path of the record; empty where the body is the record. Of other forms, the only row.',
  ),
  dropWhen: dropWhen.describe('What is no record, such as a deleted one: not found.'),
  map: mapping,
});

/** A placeholder for the list of a resource that has none. It is never used for a request. */
const NO_LIST = list.parse({ request: { path: '/' }, window: { kind: 'none' }, items: '', map: {} });

const resourceEntry = z.strictObject({
  id: z.strictObject({
    kind: z.enum(['number', 'text']).describe('Whether the native ids are whole numbers or any text.'),
    pattern: z
      .string()
      .optional()
      .describe('A regular expression whose first group is the id, if there is text around it.'),
    form: z
      .string()
      .optional()
      .describe(
        'A regular expression that a native id matches as a whole, or int32, uint32, int53, int64, uint64: the size of a whole number. The source is never asked for any other id.',
      ),
  }),
  onInvalidRecord: z
    .enum(['fail', 'drop'])
    .default('fail')
    .describe(
      'A record without a usable id, or without a value that the contract requires in lists: fail the answer, or leave the record out of data and total and count it.',
    ),
  list: list.optional().describe('How the list is read. Absent only if the contract has no list of it.'),
  get: get.optional(),
});

const sourceResource = resourceEntry.transform(({ list: own, ...entry }) => ({
  ...entry,
  hasList: own !== undefined,
  // Without a list, the fields of a record are those of `get`.
  list: own ?? { ...NO_LIST, map: entry.get?.map ?? {} },
}));

/** The shape of a file in `config/sources/`. */
export const sourceSchema = z.strictObject({
  source: z.literal(1, { error: 'this Portico reads version 1 of the format: write `source: 1`' }),
  name,
  net,
  auth: sourceAuth.default({ kind: 'none' }),
  decode: decode.prefault({}),
  budget: z
    .strictObject({
      rows: integer(1, 10_000_000).default(20_000).describe('The most rows a scan may read.'),
      calls: integer(1, 1_000_000).default(500).describe('The most calls a scan may make.'),
      bytes: bytes
        .default(32 * 1024 ** 2)
        .describe('The most bytes that the rows of a scan may be, as Portico keeps them.'),
      time: timeLimit
        .default(8_000)
        .describe('The longest a scan may take; shorter than the deadline of the resource.'),
      snapshot: wholeSeconds
        .default(30)
        .describe('How long the rows of a scan serve later queries; such answers may be that old.'),
    })
    .prefault({}),
  outcomes: z
    .array(outcome)
    .min(1)
    .refine(
      (rules) => rules.some(({ is, on }) => is === 'ok' && on !== 'get'),
      'no reply of a list is ever used: no rule says is: ok; add - { status: 200, is: ok }',
    ),
  resources: perResource(sourceResource),
  dialects: z
    .array(dialect)
    .default([])
    .describe('For the examples that come with Portico: what `portico infer` knows of such services.'),
});

/**
 * A file of `sources/` as it was parsed: defaults filled in, shorthands in their long form, times in milliseconds
 * (`budget.snapshot` in seconds), sizes in bytes.
 */
export type SourceSpec = z.infer<typeof sourceSchema> & {
  /** Not in the file: how other sources write the ids of the resources that the file refers to by `ids: same`. */
  readonly sameIds?: SameIds | undefined;
};

/** By resource: how the source that serves the resource writes its ids. */
export type SameIds = Readonly<Record<string, Pick<SourceResourceSpec, 'id'>>>;

/** What a client needs to reach a source. */
export type ConnectionSpec = Pick<SourceSpec, 'net' | 'auth' | 'decode'>;

/** An entry of `dialects`, as it was parsed. */
export type DialectSpec = z.infer<typeof dialect>;

/** One resource of a source. Without `get`, the source has no request for a single record. */
export type SourceResourceSpec = z.infer<typeof sourceResource>;

/** `list` after parsing: each column of `sort` is `{ column, directions }`, each field of `map` `{ from, as }`. */
export type ListSpec = z.infer<typeof list>;

/** How a single record is asked for by its native id. A record that `dropWhen` matches does not exist for callers. */
export type GetSpec = z.infer<typeof get>;

/** A request whose path, query, headers and body are templates that are not compiled yet. */
export type RequestSpec = z.infer<typeof request>;

/** The body of a POST; its one main key says the format: `json`, `form` or `xml`. */
export type BodySpec = z.infer<typeof requestBody>;

/** `decode` with its defaults. Without `charset`, the reply says it; without `contentTypes`, the format says them. */
export type DecodeSpec = z.infer<typeof decode>;

/**
 * An entry of `filters.<field>.<operator>`. Its `exactness` says how far the rows and the total of a reply can be relied on.
 */
export type FilterSpec = z.infer<typeof filter>;

/** A step of `as`: the name of one without parameters, or a map whose only key is the name. */
export type CoercionSpec = z.infer<typeof coercion>;

/**
 * By v1 field: the paths its value is read from, and the steps after that. Without a path, it is the constant `value`, or null.
 */
export type MappingSpec = z.infer<typeof mapping>;

/** How an element of a list is read. */
export type EachSpec = z.infer<typeof each>;

/** Where the rows of a reply are: the path of a list of records, or a form with its paths. */
export type ItemsSpec = z.infer<typeof items>;
/** A condition on the value at a path of a document. */
export type ConditionSpec = { readonly at?: string | undefined } & {
  readonly [K in keyof typeof condition]?: z.infer<(typeof condition)[K]>;
};

/** A response rule. It fits a reply if all of its conditions do; the first rule of a file that fits decides. */
export type OutcomeSpec = z.infer<typeof outcome>;

/** What a reply means. Rows or a record are read only from a reply that is `ok`. */
export type OutcomeKind = OutcomeSpec['is'];
