import { firstRows } from '../../adapter/plan/first-rows.ts';
import { UNOBSERVED } from '../../adapter/reply-observer.ts';
import type { CallContext, SourceRuntime } from '../source-runtime.ts';

/** The ids of the first rows of a list: at least two if there are as many. @throws GatewayError */
export async function listedIds(
  { adapter: { list }, observer: { onRule }, resource, upstream }: SourceRuntime,
  { signal, usage, priority }: CallContext,
): Promise<readonly string[]> {
  const request = firstRows(list.plan, resource.name, 2)?.request;
  if (request === undefined) return [];
  const { records } = await upstream.ask(
    request,
    (reply) => list.read(reply, { ...UNOBSERVED, onRule }),
    signal,
    usage,
    priority,
  );
  return records.map(({ id }) => id);
}
