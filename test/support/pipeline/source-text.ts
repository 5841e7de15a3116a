import { parse } from 'yaml';
import { type Adapter, compileAdapter } from '../../../src/source/adapter/compile.ts';
import { pathText } from '../../../src/config/yaml/problem.ts';
import { type SourceSpec, sourceSchema } from '../../../src/config/schema/source.ts';
import { resources, type ResourceName } from '../reference.ts';
import type { ListQuery } from '../../../src/contract/query.ts';
import type { UpstreamReply } from '../../../src/kernel/upstream-call.ts';
import { parseList } from './parse-as.ts';

/** What a source file says, with the defaults filled in. The text leaves out what every source has. */
export function specOf(text: string): SourceSpec {
  return sourceSchema.parse({
    source: 1,
    name: 'shop',
    net: { baseUrl: 'http://127.0.0.1:1' },
    outcomes: [{ status: 200, is: 'ok' }],
    ...(parse(text) as object),
  });
}

/** A compiled source, and its problems as `path: message`. */
export type CompiledText = { readonly adapter: Adapter; readonly problems: readonly string[] };

/** Compiles the source in a YAML text. */
export function compileText(resource: ResourceName, text: string): CompiledText {
  const problems: string[] = [];
  const adapter = compileAdapter(specOf(text), resources[resource], (path, message) =>
    problems.push(`${pathText(path)}: ${message}`),
  );
  if (adapter === undefined) throw new Error(`the source does not describe ${resource}`);
  return { adapter, problems };
}

/** The adapter of a source that has no problems. */
export function adapterOf(resource: ResourceName, text: string): Adapter {
  const { adapter, problems } = compileText(resource, text);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return adapter;
}

/** A list query, as its parameters ask for it. */
export function queryOf(resource: ResourceName, rawQuery: string): ListQuery {
  return parseList(`${resource}.list`, rawQuery);
}

/** A reply of an upstream: JSON with status 200 by default. A body that is no text or bytes is written as JSON. */
export function replyOf(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): UpstreamReply {
  const all: Readonly<Record<string, string>> = { 'content-type': 'application/json', ...headers };
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { status, header: (name) => all[name], body: bytes };
}

/** A products source; `list` and `map` are added to or replace what is there. */
export const productsText = (list = '', map = ''): string => `
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 40 }
      items: rows
      ${list}
      map:
        id: id
        name: name
        description: description
        category: category
        price: price
        ${map}
`;
