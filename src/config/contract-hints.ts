// Adds a hint to each problem in the shape of a contract file, because zod's messages alone do not say what to write.

import { fieldKinds } from '../contract/fields.ts';
import { filterRelations } from '../contract/contract-schema.ts';
import type { Problem } from './yaml/problem.ts';

const FIELD =
  'a field is written like placed_at: { kind: datetime }, an object like address: { city: { kind: text } }';
const FILTER = 'a filter is written like min_total: { field: total, is: at_least }';
const RESOURCE =
  'a resource is written like orders: { singular: order, id: { prefix: ord }, fields: { total: { kind: decimal } } }';

const FIELD_KEYS: Readonly<Record<string, string>> = {
  kind: `kind: ${fieldKinds.join(', ')}`,
  description: 'description: a text, in quotes if it has a colon',
  required: 'required: true or false',
  aliases: 'aliases: [other_name]',
  deprecated: 'deprecated: true or false',
  sunset: 'sunset: a day such as 2027-06-30, in quotes',
  example: 'example: a value of the kind; texts and dates in quotes',
  minimum: 'minimum: a number, for the kinds integer and decimal',
  means: 'means: one of the meanings of the kind; leave it out if none fits',
  values:
    'values: [open, shipped], for the kind enum; each a text without commas, blanks and control characters',
  to: 'to: the name of a resource, for the kind reference',
};
const FILTER_KEYS: Readonly<Record<string, string>> = {
  field: 'field: the name of a field, such as total, address.city or id',
  is: `is: ${filterRelations.join(', ')}`,
};
const OTHER_KEYS: Readonly<Record<string, string>> = {
  contract: 'contract: 1',
  version: 'version: v1',
  title: 'title: the name of the API, a text',
  pages: 'pages: { default: 50, max: 100 }',
  default: 'default: a whole number from 1 to 1000',
  max: 'max: a whole number from 1 to 1000',
  overflow: 'overflow: reject or clamp',
  resources: RESOURCE,
  singular: 'singular: the name of one record, such as order',
  id: 'id: { prefix: ord }',
  prefix: 'prefix: ord',
  fields: FIELD,
  list: 'list: true or false',
  single: 'single: true, false, or the fields that a single record has beside those of the list',
  sort: 'sort: [id, placed_at]',
  order: 'order: [-placed_at]',
  filters: FILTER,
};

/** An example of what to write at the place of a problem. */
function hintAt({ path, message }: Problem): string {
  if (path === '')
    return message.includes('unique')
      ? 'keep one of the two keys, or rename one'
      : 'keys of one map begin in the same column; a key ends with a colon and a blank';
  const keys = path.replaceAll(/\[\d+\]/g, '').split('.');
  const last = keys.at(-1) ?? '';
  const [top, , section] = keys;
  const isBelow = top === 'resources' && keys.length > 3;
  if (isBelow && (section === 'fields' || section === 'single')) return FIELD_KEYS[last] ?? FIELD;
  if (isBelow && section === 'filters') return { ...FIELD_KEYS, ...FILTER_KEYS }[last] ?? FILTER;
  return { ...FIELD_KEYS, ...OTHER_KEYS }[last] ?? RESOURCE;
}

/** Adds a hint to a problem in the shape of a contract file, unless it has one. */
export function withContractHint(problem: Problem): Problem {
  return problem.hint === undefined ? { ...problem, hint: hintAt(problem) } : problem;
}
