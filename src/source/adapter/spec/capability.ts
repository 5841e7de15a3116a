// The names of claims (what a source file says that the source does itself), as plans, checks, disabled claims, metrics and
// the log call them.

import type { ListSpec } from '../../../config/schema/source.ts';
import type { ResourceName } from '../../../contract/resource.ts';

/**
 * The name of a claim, such as `order` (without a sort parameter), `sort.<field>.<direction>`, `filter.<field>.<op>` or `total`.
 * A claim that a reply contradicts is disabled.
 */
export type Capability = string;

/**
 * Not a claim of a file. If a plan may not use a sort and this, the sort is right, but rows that are equal in it keep the source
 * from answering the page.
 */
export const TIES: Capability = 'ties';

/** The claim that the source knows the credential. While it is contradicted, there are no answers. */
export const PROOF: Capability = 'auth.proof';

/**
 * Whether it is the alarm that many records suddenly lack a field, `field.<name>.gone` or `.unreadable`. It is kept like a claim.
 */
export const isFieldAlarm = (capability: Capability): boolean => capability.startsWith('field.');

/** The field of an alarm, which may have dots (`address.city`), and what is wrong with it: `gone` or `unreadable`. */
export function readFieldAlarm(alarm: Capability): { readonly field: string; readonly kind: string } {
  const end = alarm.lastIndexOf('.');
  return { field: alarm.slice('field.'.length, end), kind: alarm.slice(end + 1) };
}

/** The claims of a list about its sorts and filters. */
export function sortAndFilterClaims({ sort, filters }: ListSpec): readonly Capability[] {
  return [
    ...Object.entries(sort?.columns ?? {}).flatMap(([field, { directions }]) =>
      directions.map((direction) => `sort.${field}.${direction}`),
    ),
    ...Object.entries(filters).flatMap(([field, ops]) =>
      Object.keys(ops).map((op) => `filter.${field}.${op}`),
    ),
  ];
}

/** The place of a claim in its source file, as a path of keys. */
export function claimPlace(resource: ResourceName, capability: Capability): readonly PropertyKey[] {
  if (capability === PROOF) return ['auth', 'proof'];
  if (capability === 'get') return ['resources', resource, 'get'];
  const list = ['resources', resource, 'list'];
  const [kind = '', ...rest] = capability.split('.');
  const field = rest.slice(0, -1).join('.');
  if (kind === 'field') return [...list, 'map', field];
  if (kind === 'filter') return [...list, 'filters', field, rest.at(-1) ?? ''];
  if (kind === 'sort') return [...list, 'sort', 'columns', field];
  return [...list, kind];
}
