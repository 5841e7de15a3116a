import type { LoadedSource } from '../../../config/schema/loaded-config.ts';
import type {
  BodySpec,
  FilterSpec,
  RequestSpec,
  SourceResourceSpec,
  SourceSpec,
} from '../../../config/schema/source.ts';
import { parseYamlFile } from '../../../config/yaml/yaml-file.ts';
import {
  headerCredential,
  namedCredential,
  type UpstreamCredential,
} from '../../../source/client/transport/credential.ts';
import { Secret } from '../../../kernel/secret.ts';

/** What stands for a secret, and for a value of a record. */
export const MASK = '***';

/** Names of headers, parameters and keys whose values are usually secret. */
const SECRET_NAME =
  /auth|cookie|token|secret|passw|pwd|credential|session|signature|api-?key|[-_]key$|^key$/i;

const XML_SECRET = new RegExp(String.raw`(<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>)([^<]*)(?=</)`, 'g');

/** Any tree of a source file, as its schema or its YAML has it. */
type Tree = unknown;

function at(tree: Tree, key: string): Tree {
  return typeof tree === 'object' && tree !== null ? (tree as Record<string, unknown>)[key] : undefined;
}

/** A text as it may be displayed: filled-in parts are masked in `masked`, constants by the name they stand under. */
function maskText(name: string, text: string, masked: Tree): string {
  if (SECRET_NAME.test(name) && !text.includes('{')) return MASK;
  return typeof masked === 'string' ? masked : text;
}

function maskAny(tree: Tree, masked: Tree, name: string): Tree {
  if (typeof tree === 'string') return maskText(name, tree, masked);
  if (Array.isArray(tree)) return tree.map((item, index) => maskAny(item, at(masked, String(index)), name));
  if (typeof tree !== 'object' || tree === null) return tree;
  const entries = Object.entries(tree).map(([key, value]) => [key, maskAny(value, at(masked, key), key)]);
  return Object.fromEntries(entries) as Tree;
}

/** The same tree, every text in it as it may be displayed. */
function maskTree<T extends Tree>(tree: T, masked: Tree): T {
  return maskAny(tree, masked, '') as T;
}

function maskXml(xml: string, masked: Tree): string {
  const text = typeof masked === 'string' ? masked : xml;
  return text.replaceAll(XML_SECRET, (whole, tag: string, name: string, content: string) =>
    SECRET_NAME.test(name) && content.trim() !== '' && !content.includes('{') ? tag + MASK : whole,
  );
}

function maskBody(body: BodySpec, masked: Tree): BodySpec {
  if ('xml' in body) return { ...body, xml: maskXml(body.xml, at(masked, 'xml')) };
  return maskTree(body, masked);
}

function maskRequest(request: RequestSpec, masked: Tree): RequestSpec {
  return {
    ...request,
    path: maskText('', request.path, at(masked, 'path')),
    query: maskTree(request.query, at(masked, 'query')),
    headers: maskTree(request.headers, at(masked, 'headers')),
    ...(request.body && { body: maskBody(request.body, at(masked, 'body')) }),
  };
}

type Part = Pick<FilterSpec, 'query' | 'expr' | 'item'> &
  Partial<Record<'path' | 'none', string | undefined>> & {
    readonly tiebreak?: unknown;
  };

/** A text, or a tree of texts, that may be absent. */
function maskOptional(part: Part, masked: Tree, key: keyof Part) {
  const tree = part[key];
  return tree === undefined ? {} : { [key]: maskAny(tree, at(masked, key), '') };
}

/** What a filter or a sort adds to a request. */
function maskPart<T extends Part>(part: T, masked: Tree): T {
  const others = ['expr', 'item', 'path', 'none', 'tiebreak'] as const;
  return others.reduce((made, key) => ({ ...made, ...maskOptional(part, masked, key) }), {
    ...part,
    query: maskTree(part.query, at(masked, 'query')),
  });
}

function maskFilters(filters: SourceResourceSpec['list']['filters'], masked: Tree) {
  const entries = Object.entries(filters).map(([field, operators]) => {
    const parts = Object.entries(operators).map(([op, part]) => [
      op,
      maskPart(part, at(at(masked, field), op)),
    ]);
    return [field, Object.fromEntries(parts) as typeof operators];
  });
  return Object.fromEntries(entries) as typeof filters;
}

function maskTotal(total: SourceResourceSpec['list']['total'], masked: Tree) {
  if (total?.count === undefined) return total;
  return { ...total, count: maskRequest(total.count, at(masked, 'count')) };
}

function maskHydrate(hydrate: NonNullable<SourceResourceSpec['list']['hydrate']>, masked: Tree) {
  if (hydrate === 'get') return hydrate;
  return { ...hydrate, request: maskRequest(hydrate.request, at(masked, 'request')) };
}

function maskResource(spec: SourceResourceSpec, masked: Tree): SourceResourceSpec {
  const list = at(masked, 'list');
  return {
    ...spec,
    list: {
      ...spec.list,
      request: maskRequest(spec.list.request, at(list, 'request')),
      total: maskTotal(spec.list.total, at(list, 'total')),
      filterAlways: maskTree(spec.list.filterAlways, at(list, 'filterAlways')),
      ...(spec.list.filterNone !== undefined && {
        filterNone: maskText('', spec.list.filterNone, at(list, 'filterNone')),
      }),
      filters: maskFilters(spec.list.filters, at(list, 'filters')),
      ...(spec.list.sort && { sort: maskPart(spec.list.sort, at(list, 'sort')) }),
      ...(spec.list.hydrate && { hydrate: maskHydrate(spec.list.hydrate, at(list, 'hydrate')) }),
    },
    ...(spec.get && {
      get: { ...spec.get, request: maskRequest(spec.get.request, at(at(masked, 'get'), 'request')) },
    }),
  };
}

/**
 * A source whose requests can be displayed: what its file fills in from the environment, and constants under names such
 * as `token`, are `***`. Addresses are shown as they are.
 */
export function maskSource({ spec, yaml }: LoadedSource): SourceSpec {
  const environment = { variables: new Proxy({}, { get: () => MASK }), readFile: () => MASK };
  const masked = parseYamlFile(yaml.file, yaml.text(), environment, []).content();
  const resources = at(masked, 'resources');
  const masks = Object.entries(spec.resources).map(([name, one]) => [
    name,
    one && maskResource(one, at(resources, name)),
  ]);
  return {
    ...spec,
    net: { ...spec.net, headers: maskTree(spec.net.headers, at(at(masked, 'net'), 'headers')) },
    resources: Object.fromEntries(masks) as SourceSpec['resources'],
  };
}

/** A source's credential as it may be displayed. */
export function maskedCredential({ auth }: SourceSpec): UpstreamCredential {
  switch (auth.kind) {
    case 'basic':
      return headerCredential('Authorization', `Basic ${MASK}`);
    case 'header':
      return headerCredential(auth.name, MASK);
    case 'query':
      return namedCredential({ ...auth, value: new Secret(MASK) });
    case 'oauth2':
      return headerCredential('Authorization', `Bearer ${MASK}`);
    case 'session':
      return headerCredential(auth.header, auth.value.replaceAll('{session}', MASK));
    case 'none':
      return namedCredential(auth);
  }
}
