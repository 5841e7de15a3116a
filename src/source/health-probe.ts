import { firstRows } from './adapter/plan/first-rows.ts';
import { UNOBSERVED } from './adapter/map/reply-observer.ts';
import { fault } from '../kernel/errors/fault.ts';
import type { HealthProbe } from './client/client.ts';
import type { CompiledSource } from './compile-sources.ts';

/**
 * The health probe of a source: the first row of the list, without any value of a caller. The answer must be right,
 * except where the source gives all rows at once, which is more than is worth reading. `undefined`: the list needs no
 * call.
 */
export function createHealthProbe({ resource, adapter: { list } }: CompiledSource): HealthProbe | undefined {
  const first = firstRows(list.plan, resource.name, 1);
  if (first === undefined) return undefined;
  return {
    request: first.request,
    read(reply) {
      if (first.size < Infinity) list.read(reply, UNOBSERVED);
      else if (reply.status >= 400) throw fault('upstream_error', { detail: `HTTP ${reply.status}` });
    },
  };
}
