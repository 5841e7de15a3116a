import * as z from 'zod';
import { hasControl } from '../kernel/control-characters.ts';

/*
 * The format of a contract file. Only the shape is checked here; `compile-contract.ts` checks the rest, such as names that
 * clash and filters that do not fit their field.
 */

/** The form of a resource's name, as a part of a regular expression. */
export const RESOURCE_NAME = '[a-z][a-z0-9_]{0,39}';
const FIELD_NAME = /^[a-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/;
const PREFIX = /^(?:[a-z][a-z0-9]{0,15})?$/;

const name = z
  .string()
  .max(64)
  .regex(FIELD_NAME, 'a name begins with a small letter and has letters, digits and single underscores');
const resourceName = z
  .string()
  .regex(
    new RegExp(`^${RESOURCE_NAME}$`),
    'a name of at most 40 small letters, digits and underscores that begins with a letter',
  );

/** A text without control characters or broken Unicode: it can stand in a header, a log line and an encoded URL. */
const printable = (message: string) =>
  z.string().refine((text) => text.isWellFormed() && !hasControl(text), message);

const DESCRIPTION = 'For the people who read the contract.';

const deprecation = {
  deprecated: z
    .union([z.boolean(), z.iso.date()], { error: 'expected true, or the day since when, such as 2026-11-01' })
    .default(false)
    .describe('Whether clients should stop using it, or the day since when. OpenAPI and a header say so.'),
  sunset: z.iso.date().optional().describe('The day on which it is removed, such as 2027-06-30.'),
};

const aliases = z.array(z.string().min(1)).default([]);

/** The keys that every kind of field has. */
const common = {
  description: z.string().optional().describe(DESCRIPTION),
  required: z.boolean().default(false).describe('Whether it is never null. A record without it is invalid.'),
  aliases: aliases.describe('Other names in sources, for `portico infer`; `a.b` means b inside a.'),
  personal: z
    .boolean()
    .optional()
    .describe(
      'Whether its values can identify a person. Recordings replace such values. By default true for text, date and integer.',
    ),
  ...deprecation,
};

const number = z.number();

const scalars = [
  z.strictObject({
    kind: z.literal('text'),
    ...common,
    example: z.string().optional().describe('A typical value.'),
    means: z
      .enum(['person_name', 'title', 'email', 'url', 'picture', 'category', 'place', 'prose', 'description'])
      .optional()
      .describe('What the text is, for `portico infer`.'),
  }),
  z.strictObject({
    kind: z.literal('integer'),
    ...common,
    example: number.optional(),
    minimum: number.optional().describe('The least bound that a filter takes.'),
  }),
  z.strictObject({
    kind: z.literal('decimal'),
    ...common,
    example: number.optional(),
    minimum: number.optional().describe('The least bound that a filter takes.'),
    means: z.enum(['amount']).optional().describe('What the number is, for `portico infer`.'),
  }),
  z.strictObject({ kind: z.literal('boolean'), ...common, example: z.boolean().optional() }),
  z.strictObject({
    kind: z.literal('datetime'),
    ...common,
    example: z.string().optional(),
    means: z.enum(['created']).optional().describe('What the time is, for `portico infer`.'),
  }),
  z.strictObject({ kind: z.literal('date'), ...common, example: z.string().optional() }),
  z.strictObject({
    kind: z.literal('enum'),
    ...common,
    values: z
      .array(
        printable('a value has no control character').regex(/^[^,\s]+$/, 'a value has no comma and no blank'),
      )
      .min(1)
      .max(200)
      .describe('All values, in their order. Any other value of a source is a missing value.'),
    example: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('reference'),
    ...common,
    to: resourceName.describe('The resource whose ids it holds.'),
  }),
] as const;

/** A field that has one value. */
const scalar = z.discriminatedUnion('kind', scalars).meta({ id: 'scalar' });

const list = z.strictObject({
  kind: z.literal('list'),
  ...common,
  of: z
    .union([scalar, z.record(name, scalar)], {
      error: 'expected a kind that is no list, such as { kind: text }, or fields of such kinds by name',
    })
    .describe('What an element is: a value of a kind, or an object with fields.'),
  max: z
    .int()
    .min(1)
    .max(10_000)
    .default(1000)
    .describe('The most elements. A longer list is a missing value; nothing is cut off.'),
  unordered: z
    .boolean()
    .default(false)
    .describe('Whether the order of elements means nothing when a migration compares them.'),
});

/** A field that has a value. */
const leaf = z.discriminatedUnion('kind', [...scalars, list]);

/** The specification of a field that has a value (not of an object with fields), as it was parsed. */
export type LeafSpec = z.infer<typeof leaf>;

/** Fields by name; an entry without a `kind` is an object with fields of its own. */
export type FieldSpecs = { readonly [name: string]: LeafSpec | FieldSpecs };

const isLeaf = (value: unknown) =>
  typeof value === 'object' && value !== null && typeof (value as { kind?: unknown }).kind === 'string';

const fields: z.ZodType<FieldSpecs> = z.record(
  name,
  z.lazy(() => z.union([leaf, fields])),
);

/** Whether an entry is a field that has a value; otherwise it is an object with fields. */
export function isLeafSpec<Leaf extends LeafSpec>(
  spec: Leaf | Readonly<Record<string, unknown>>,
): spec is Leaf {
  return isLeaf(spec);
}

/** The relations between a field and the value of a filter, as a contract file names them. */
export const filterRelations = [
  'equal',
  'one_of',
  'at_least',
  'at_most',
  'above',
  'below',
  'after',
  'before',
  'known',
  'has',
] as const;

const filter = z.strictObject({
  field: z.string().describe('The field, nested ones in the form `address.city`, or `id`.'),
  is: z.enum(filterRelations).describe('What the parameter asks of the field.'),
  description: z.string().optional().describe(DESCRIPTION),
  ...deprecation,
});

const pageSize = z.int().min(1).max(1000);
const pageSizes = {
  default: pageSize.describe('The records of a page without `limit`.'),
  max: pageSize.describe('The largest `limit` that a client may ask for.'),
};

const pages = z.strictObject({
  default: pageSizes.default.default(50),
  max: pageSizes.max.default(100),
  overflow: z
    .enum(['reject', 'clamp'])
    .optional()
    .describe('A `limit` above the largest is 400 (reject, the default) or means the largest (clamp).'),
  bytes: z
    .int()
    .min(1)
    .optional()
    .describe(
      'The most bytes that the largest page with full lists, or a single record, may have; by default 16 MiB. Each text counts as 32 bytes.',
    ),
});

const resource = z.strictObject({
  singular: resourceName.describe('The name of one record.'),
  aliases: aliases.describe('Other names of the list in sources, for `portico infer`.'),
  means: z.enum(['person', 'product']).optional().describe('What a record is, for `portico infer`.'),
  id: z.strictObject({
    prefix: z
      .string()
      .regex(PREFIX, 'a prefix has at most 16 small letters and digits, and begins with a letter')
      .describe(
        "What stands before the underscore of a public id. With '' the source's own id is the public one.",
      ),
  }),
  fields: fields.describe('The fields of a record after its id, in the order of the answer.'),
  list: z
    .boolean()
    .default(true)
    .describe('Whether there is `GET /v1/<name>`. If false, records can only be read one by one.'),
  single: z
    .union([z.boolean(), fields])
    .default(false)
    .describe(
      'Whether there is `GET /v1/<name>/{id}`. A map of fields: it has these in addition to those of the list.',
    ),
  sort: z.array(z.string()).default([]).describe('The fields that `sort` may name.'),
  order: z
    .array(z.string().regex(/^-?[^-]/))
    .min(1)
    .max(1)
    .optional()
    .describe('The order without `sort`, such as [-placed_at]; by default by id.'),
  filters: z.record(name, filter).default({}).describe('The parameters that narrow a list.'),
  pages: z.strictObject(pageSizes).partial().prefault({}).describe('Replaces the `pages` of the file.'),
  ...deprecation,
});

/** The shape of a contract file. */
export const contractSchema = z.strictObject({
  contract: z.literal(1, { error: 'this Portico reads version 1 of the format: write `contract: 1`' }),
  version: z
    .string()
    .regex(/^v[1-9]\d?$/, 'a version is v1 to v99')
    .default('v1')
    .describe('The first segment of every path, such as /v1/users.'),
  title: printable('a title has no control character').min(1).describe('The name of the API.'),
  pages: pages.prefault({}),
  resources: z
    .record(resourceName, resource)
    .refine((all) => Object.keys(all).length > 0, 'a contract has at least one resource')
    .refine((all) => Object.keys(all).length <= 100, 'a contract has at most 100 resources'),
});

/** A contract file as it was parsed, with its defaults. */
export type ContractSpec = z.infer<typeof contractSchema>;
/** A contract file as its author writes it, before defaults are filled in. */
export type ContractDocument = z.input<typeof contractSchema>;
/** A resource as it was parsed. */
export type ResourceSpec = ContractSpec['resources'][string];
/** A filter as it was parsed. */
export type FilterSpecOfContract = ResourceSpec['filters'][string];

/** Reports what is wrong at a place of a contract file, and how to mend it. */
export type ReportContractProblem = (path: readonly PropertyKey[], message: string, hint?: string) => void;
