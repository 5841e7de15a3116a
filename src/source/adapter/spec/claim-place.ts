import type { ResourceName } from '../../../contract/resources.ts';
import { type Capability, PROOF } from './capability.ts';

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
