import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { escapedId } from '../generate/ids.ts';
import { parameterOf } from '../generate/source.ts';
import type { Push, Row, SourceResource } from '../generate/resource.ts';
import { orderOf } from '../oracle/oracle.ts';
import { compareValues, isSame } from '../oracle/values.ts';

/** A service over HTTP that has the rows of some resources. */
export type Service = {
  readonly origin: string;
  /** Has these from now on. */
  has(resources: ReadonlyMap<string, SourceResource>): void;
  /** The parameters that it was asked with since the last call. */
  asked(): ReadonlySet<string>;
  close(): Promise<void>;
};

function fits({ leaf, op, exactness }: Push, row: Row, wanted: string, index: number): boolean {
  if (exactness === 'superset' && index % 3 === 0) return true;
  const own = row.truth[leaf.name];
  const isNumber = leaf.kind === 'integer' || leaf.kind === 'decimal';
  // The gateway asks with a text that nothing has, to see if the filter is used at all.
  if (typeof own !== 'string' || ((isNumber || leaf.kind === 'datetime') && !/^-?\d/.test(wanted)))
    return false;
  if (op === 'eq' || op === 'in') return isSame(leaf, own, wanted);
  const order = compareValues(leaf, own, wanted);
  return op === 'ge' ? order >= 0 : order <= 0;
}

/** What is asked of a list: by number, by order and by conditions, as far as the source can do that. */
function listReply(resource: SourceResource, query: URLSearchParams): string {
  const { model, rows, pushes, codings, window, base } = resource;
  let found = [...rows];
  for (const push of pushes) {
    const sent = query.getAll(parameterOf(push.leaf.name, push.op));
    if (sent.length === 0) continue;
    const isList = push.op === 'in' && push.separator !== undefined;
    const texts = isList ? sent.flatMap((text) => text.split(push.separator!)) : sent;
    const wanted = texts.map((text) => codings.get(push.leaf.name)?.read(text) ?? publicId(resource, text));
    found = found.filter((row) => wanted.some((one) => fits(push, row, one, rows.indexOf(row))));
  }
  const by = query.get('by');
  if (by !== null) {
    const compare = orderOf(model, (query.get('way') === 'desc' ? '-' : '') + by);
    found.sort((a, b) => compare(a.truth, b.truth));
  }
  const limit = window === 'none' ? found.length : Number(query.get('limit'));
  const first = {
    none: 0,
    offset: Number(query.get('offset')) - base,
    page: (Number(query.get('page')) - base) * limit,
  };
  const shown = found.slice(first[window], first[window] + limit);
  return `{"total":${found.length},"rows":[${shown.map(({ held }) => held).join(',')}]}`;
}

/** Starts a service on a port of its own. */
export async function startService(): Promise<Service> {
  let resources: ReadonlyMap<string, SourceResource> = new Map();
  let asked = new Set<string>();

  function reply(target: string): string | undefined {
    const { pathname, searchParams } = new URL(target, 'http://service');
    const [name = '', id] = pathname.slice(1).split('/').map(decodeURIComponent);
    const resource = resources.get(name);
    if (resource === undefined) return undefined;
    for (const key of searchParams.keys()) asked.add(key);
    if (id === undefined) return listReply(resource, searchParams);
    return resource.rows.find(({ truth }) => truth.id === publicId(resource, id))?.held;
  }

  const server = createServer((request, response) => {
    const body = reply(request.url ?? '');
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(body ?? '{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    has(next) {
      resources = next;
    },
    asked() {
      const all = asked;
      asked = new Set();
      return all;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The public id of a native one. */
function publicId({ idKind, model }: SourceResource, native: string): string {
  return model.start + (idKind === 'number' ? native : escapedId(native));
}
