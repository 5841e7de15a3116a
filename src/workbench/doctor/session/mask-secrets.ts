import type { LoadedSource } from '../../../config/schema/loaded-config.ts';
import type { SourceSpec } from '../../../config/schema/source.ts';
import { isSecretName } from '../../../config/yaml/hide-secrets.ts';
import { parseYamlFile } from '../../../config/yaml/yaml-file.ts';
import {
  headerCredential,
  namedCredential,
  type UpstreamCredential,
} from '../../../source/client/transport/credential.ts';
import { Secret } from '../../../kernel/secret.ts';

/** What stands for a secret, and for a value of a record. */
export const MASK = '***';

/** What of a resource is sent: the parts of its requests, and what filters and sorts add to them. */
const SENT =
  /^(?:(?:list|get)\.request|list\.total\.count|list\.hydrate\.request)\.(?:path|query|headers|body)\b|^list\.(?:filterAlways|filterNone)\b|^list\.(?:filters\.[^.]+\.[^.]+|sort)\.(?:query|expr|item|path|none|tiebreak)\b/;
const ANYWHERE = /^/;
const XML_SECRET = /(<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>)([^<]*)(?=<\/)/g;

/** A text as it may be displayed: filled-in parts are masked in `masked`, constants by the name they stand under. */
function maskText(place: string, name: string, text: string, masked: unknown): string {
  const shown = typeof masked === 'string' ? masked : text;
  if (place.endsWith('.body.xml'))
    return shown.replaceAll(XML_SECRET, (whole, tag: string, element: string, content: string) =>
      isSecretName(element) && content.trim() !== '' && !content.includes('{') ? tag + MASK : whole,
    );
  return isSecretName(name) && !text.includes('{') ? MASK : shown;
}

/** The same tree with each text that stands at a place in `sent` as it may be displayed. `masked` is the tree of the YAML. */
function maskTree<T>(tree: T, masked: unknown, sent: RegExp, place = '', name = ''): T {
  if (typeof tree === 'string') return (sent.test(place) ? maskText(place, name, tree, masked) : tree) as T;
  if (typeof tree !== 'object' || tree === null || tree instanceof Secret) return tree;
  const below = ([key, value]: [string, unknown]) => {
    const other = (masked as Record<string, unknown> | null | undefined)?.[key];
    const at = place === '' ? key : `${place}.${key}`;
    return [key, maskTree(value, other, sent, at, Array.isArray(tree) ? name : key)] as const;
  };
  const entries = Object.entries(tree).map(below);
  return (Array.isArray(tree) ? entries.map(([, value]) => value) : Object.fromEntries(entries)) as T;
}

/**
 * A source whose requests can be displayed: what its file fills in from the environment, and constants under names such
 * as `token`, are `***`. Addresses are shown as they are.
 */
export function maskSource({ spec, yaml }: LoadedSource): SourceSpec {
  const environment = { variables: new Proxy({}, { get: () => MASK }), readFile: () => MASK };
  const masked = parseYamlFile(yaml.file, yaml.text(), environment, []).content();
  const { net, resources } = masked as Record<'net' | 'resources', Record<string, unknown> | undefined>;
  const masks = Object.entries(spec.resources).map(([name, one]) => [
    name,
    maskTree(one, resources?.[name], SENT),
  ]);
  return {
    ...spec,
    net: { ...spec.net, headers: maskTree(spec.net.headers, net?.['headers'], ANYWHERE) },
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
