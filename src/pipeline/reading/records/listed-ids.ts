import { firstRows } from '../../../source/adapter/plan/first-rows.ts';
import { UNOBSERVED } from '../../../source/adapter/map/reply-observer.ts';
import { readAside } from '../large-replies/read-aside.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';

/** The ids of the first rows of a list: at least two if there are as many. @throws GatewayError */
export async function listedIds(
  source: SourceRuntime,
  { signal, usage, priority }: CallContext,
): Promise<readonly string[]> {
  const { adapter, observer, resource, upstream } = source;
  const { list } = adapter;
  const { onRule } = observer;
  const request = firstRows(list.plan, resource.name, 2)?.request;
  if (request === undefined) return [];
  const { records } = await upstream.ask(
    request,
    (reply) =>
      readAside(source, reply, { view: 'list', observer, signal }, (part) =>
        list.read(part, { ...UNOBSERVED, onRule }),
      ),
    signal,
    usage,
    priority,
  );
  return records.map(({ id }) => id);
}
