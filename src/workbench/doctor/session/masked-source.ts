// A second adapter for each source, the same except that its secrets are `***`. Commands that show or record requests ask both
// adapters for each request: the real one is sent, the masked one is shown.

import { type Adapter, compileAdapter } from '../../../source/adapter/compile.ts';
import type { LoadedSource } from '../../../config/schema/loaded-config.ts';
import type { SourceSpec } from '../../../config/schema/source.ts';
import { isSecretName } from '../../../config/yaml/hide-secrets.ts';
import type { YamlFile } from '../../../config/yaml/yaml-file.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { CompiledSource } from '../../../source/compile-sources.ts';
import {
  headerCredential,
  namedCredential,
  type UpstreamCredential,
  compileOutgoing,
} from '../../../source/client/transport/credential.ts';
import { MASK, Secret } from '../../../kernel/secret.ts';
import { type PairedAdapter, pairRequests } from './pair-requests.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';

/** The places of a source's file whose texts are sent to the source, as paths of keys with dots between. */
const SENT_PLACES =
  /^net\.headers\.|^resources\.[^.]+\.(?:(?:(?:list|get)\.request|list\.total\.count|list\.hydrate\.request)\.(?:path|query|headers|body)\b|list\.(?:filterAlways|filterNone)\b|list\.(?:filters(?:\.[^.]+){2,5}|sort)\.(?:query|expr|item|path|none|tiebreak)\b)/;
/** An element of XML with text in it. Groups: the start tag, the name without a namespace, the text. */
const XML_ELEMENT = /(<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>)([^<]*)(?=<\/)/g;

/**
 * A text of a source's file as it may be displayed: without what came from the environment, and `***` if it stands under a name
 * such as `token`. A text with a template such as `{id}` is no constant, so it is shown.
 */
function maskText(text: string, path: readonly string[], yaml: YamlFile): string {
  const masked = yaml.maskedAt(path);
  const shown = typeof masked === 'string' ? masked : text;
  if (path.at(-2) === 'body' && path.at(-1) === 'xml')
    return shown.replaceAll(XML_ELEMENT, (whole, tag: string, element: string, content: string) =>
      isSecretName(element) && content.trim() !== '' && !content.includes('{') ? tag + MASK : whole,
    );
  const name = path.findLast((key) => !/^\d+$/.test(key)) ?? '';
  return isSecretName(name) && !text.includes('{') ? MASK : shown;
}

function maskTree<T>(tree: T, path: readonly string[], yaml: YamlFile): T {
  if (typeof tree === 'string')
    return (SENT_PLACES.test(path.join('.')) ? maskText(tree, path, yaml) : tree) as T;
  if (typeof tree !== 'object' || tree === null || tree instanceof Secret) return tree;
  const entries = Object.entries(tree).map(
    ([key, value]) => [key, maskTree<unknown>(value, [...path, key], yaml)] as const,
  );
  return (Array.isArray(tree) ? entries.map(([, value]) => value) : Object.fromEntries(entries)) as T;
}

/**
 * The content of a source's file, with `***` for what it takes from the environment and for constants under names such as
 * `token`. Addresses are shown as they are.
 */
export function maskedSpec({ spec, yaml }: LoadedSource): SourceSpec {
  return maskTree(spec, [], yaml);
}

type Auth = SourceSpec['auth'];

/** A credential with another text in place of its secrets; one that must be obtained first is as it is sent then. */
export function authWith(auth: Auth, text: string): Exclude<Auth, { kind: 'oauth2' | 'session' }> {
  const value = new Secret(text);
  switch (auth.kind) {
    case 'basic':
      return { kind: 'basic', user: value, password: value };
    case 'header':
    case 'query':
      return { ...auth, value };
    case 'oauth2':
      return { kind: 'header', name: 'Authorization', value: new Secret(`Bearer ${text}`) };
    case 'session':
      return {
        kind: 'header',
        name: auth.header,
        value: new Secret(auth.value.replaceAll('{session}', text)),
      };
    case 'none':
      return auth;
  }
}

/** A source's credential as it may be displayed. */
function maskedCredential({ auth }: SourceSpec): UpstreamCredential {
  if (auth.kind === 'basic') return headerCredential('Authorization', `Basic ${MASK}`);
  return namedCredential(authWith(auth, MASK));
}

/** Compiles a source that is known to be valid. @throws Error if it lacks the resource */
export function compileValid(spec: SourceSpec, resource: Resource): Adapter {
  const adapter = compileAdapter(spec, resource, () => undefined);
  if (adapter === undefined) throw new Error(`the source does not describe ${resource.name}`);
  return adapter;
}

/** The masked content of a source's file, and its adapter. @throws Error if the file lacks the resource */
export function compileMasked({ source, resource }: CompiledSource) {
  const spec = maskedSpec(source);
  return { spec, adapter: compileValid(spec, resource) };
}

/** The adapter of a source, each of its requests paired with the masked one, which a fixture may keep. */
export function pairWithMasked(compiled: CompiledSource): PairedAdapter {
  return pairRequests(compiled.adapter, compileMasked(compiled).adapter);
}

/** An upstream call as it may be displayed: secrets are `***`. */
export type DisplayedCall = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Asterisks that were percent-encoded on their way into a query. */
const ENCODED_MASK = MASK.replaceAll('*', '%2A');

/** A request as it may be displayed; it was made from the masked source. */
export function callToDisplay(masked: SourceSpec, request: UpstreamRequest): DisplayedCall {
  const { method, url, headers, body } = compileOutgoing(masked)(request, maskedCredential(masked));
  const readable = (text: string) => text.replaceAll(ENCODED_MASK, MASK);
  return { method, url: readable(url), headers, ...(body !== undefined && { body: readable(body) }) };
}
