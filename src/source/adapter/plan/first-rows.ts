import type { ResourceName } from '../../../contract/resource.ts';
import type { Planner } from './plan.ts';
import type { Window, WindowCall } from './window.ts';

/** The call that brings the first rows of a list; `undefined` if none covers them. */
export function firstCall(window: Window, limit: number): WindowCall | undefined {
  return window.kind === 'random' ? window.cover(0, limit)[0] : window.first;
}

/**
 * The smallest request that brings the first rows of a list, without any value of a caller, and the most rows that come;
 * `undefined` if the list needs no call.
 */
export function firstRows(plan: Planner, resource: ResourceName, limit: number) {
  const asked = plan({ kind: 'list', resource, page: 1, limit, sort: null, filters: [] }, new Set());
  if (asked.kind === 'nothing') return undefined;
  const { window, request } = asked;
  const call = firstCall(window, limit);
  return call && { request: request(call), size: call.size };
}
