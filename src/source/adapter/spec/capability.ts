import type { ResourceName } from '../../../contract/resource.ts';

/**
 * The name of a claim: `order` (without a sort parameter), `sort.<field>.<direction>` or `filter.<field>.<op>`. A claim that
 * a reply contradicts is disabled.
 */
export type Capability = string;

/** Disabled beside a sort if the sort itself is right, but rows that are equal in it prevent a page from being answered by it. */
export const TIES: Capability = 'ties';

/** The claim that the source knows the credential: while it is contradicted, there are no answers. */
export const PROOF: Capability = 'auth.proof';

/** Whether it is `field.<name>.gone` or `.unreadable`: the alarm that many records suddenly lack a field, kept like a claim. */
export const isFieldAlarm = (capability: Capability): boolean => capability.startsWith('field.');

/** The place in a source file that claims a capability, as a path of keys. */
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
