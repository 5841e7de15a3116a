// Reads what the operator of `infer` says of a service (address, headers, body), and keeps credentials apart.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { addedHeaderName, headerValue } from '../../../config/schema/elements/scalars.ts';
import { isSecretName } from '../../../config/yaml/hide-secrets.ts';
import { mapTexts } from '../../../kernel/json/json-tree.ts';
import { findVariable } from './request-parameters.ts';
import { createSecrets, secretRank, type Secrets } from './secrets.ts';
import { InferError } from '../notes/note.ts';

/** The operator's description of a service. */
export type TargetOptions = {
  readonly url: string;
  readonly name: string | undefined;
  /** `Name: value`. */
  readonly headers: readonly string[];
  readonly method: 'GET' | 'POST' | undefined;
  /** The body of the request, as text. */
  readonly body: string | undefined;
};

/** A service: the request for its list, with the credential separate. */
export type InferTarget = {
  readonly name: string;
  readonly baseUrl: string;
  readonly request: RequestSpec;
  readonly secrets: Secrets;
  /** The `auth` section of the draft. */
  readonly auth: Readonly<Record<string, unknown>> | undefined;
  /** `net.headers` of the draft: constants, and the second and further credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Only those headers that are not credentials. */
  readonly constants: Readonly<Record<string, string>>;
};

/** Headers that are not credentials. Every other header counts as one. */
const PUBLIC_HEADER =
  /^(?:accept(?:-language)?|prefer|soapaction|x-requested-with|odata-.*|dataserviceversion|maxdataserviceversion|sap-client|sap-language|x-api-version|api-version|user-agent|cache-control|content-type|x-tenant.*|sforce-query-options|consistencylevel)$/i;

/** A valid name for the source, from the file or the host. */
function sourceName(given: string | undefined, url: URL): string {
  if (given !== undefined) return given;
  const label = /^(?:[\d.]+|\[.*\]|localhost)$/.test(url.hostname) ? '' : (url.hostname.split('.')[0] ?? '');
  const name = label
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40);
  return name === '' || name === 'www' || name === 'api' ? 'service' : name;
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InferError(
      'the address does not begin with http:// or https://',
      'a file with a saved reply is named with --sample',
    );
  return url;
}

type Header = { readonly name: string; readonly value: string };

function readHeader(line: string): Header {
  const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/s.exec(line) ?? [];
  if (!addedHeaderName.safeParse(name.trim()).success || !headerValue.safeParse(value).success)
    throw new InferError('a header is not valid', "write --header 'Name: value', in printable ASCII");
  return { name: name.trim(), value };
}

/** The `auth` section for a credential header: its scheme in clear text, the rest as a variable. */
function headerAuth({ name, value }: Header, secrets: Secrets): Readonly<Record<string, unknown>> {
  const [, scheme = '', rest = value] = /^([A-Za-z][\w-]{1,20}) +(\S.*)$/.exec(value) ?? [];
  if (/^authorization$/i.test(name) && /^basic$/i.test(scheme)) {
    const [user = '', ...password] = Buffer.from(rest, 'base64').toString('utf8').split(':');
    return basicAuth(user, password.join(':'), secrets);
  }
  const what = /^authorization$/i.test(name) ? 'token' : name.replace(/^x-/i, '');
  const hidden = secrets.hide(rest, what);
  return { kind: 'header', name, value: scheme === '' ? hidden : `${scheme} ${hidden}` };
}

function basicAuth(user: string, password: string, secrets: Secrets): Readonly<Record<string, unknown>> {
  const hidden = secrets.hide(password, 'password');
  return { kind: 'basic', user: secrets.hide(user, 'user', true), password: hidden };
}

/** Replaces credentials in a JSON body by variables: by their names, and Odoo's password by its place. */
function hideInJson(tree: unknown, secrets: Secrets): unknown {
  const { params } = (tree ?? {}) as { params?: { service?: unknown; args?: unknown } };
  const password: unknown =
    params?.service === 'object' && Array.isArray(params.args) ? params.args[2] : undefined;
  return mapTexts(tree, (text, key) => {
    if (key === 'args' && text === password) return secrets.hide(text, 'password');
    return text !== '' && isSecretName(key) && key !== 'key' ? secrets.hide(text, key) : text;
  });
}

function hideInXml(xml: string, secrets: Secrets): string {
  return xml.replaceAll(
    /<((?:[\w.-]+:)?([\w.-]+))((?:\s[^<>]*)?)>([^<]+)<\/\1>/g,
    (all, tag: string, name: string, attributes: string, text: string) =>
      isSecretName(name) || name === 'code'
        ? `<${tag}${attributes}>${secrets.hide(text.trim(), name)}</${tag}>`
        : all,
  );
}

/** Adds a space after each brace of a GraphQL query, since a source file reads `{name}` as a variable. */
const spaceBraces = (text: string, key: string) =>
  key === 'query' ? text.replaceAll(/\{(?=[A-Za-z])/g, '{ ') : text;

function readBody(
  text: string,
  contentType: string | undefined,
  secrets: Secrets,
): NonNullable<RequestSpec['body']> {
  if (text.trimStart().startsWith('<')) {
    const xml = hideInXml(text.trim().replace(/^<\?xml[^>]*\?>\s*/, ''), secrets);
    return { xml, ...(contentType !== undefined && { contentType }) };
  }
  try {
    const json = mapTexts(hideInJson(JSON.parse(text), secrets), spaceBraces);
    return { json: json as NonNullable<Extract<RequestSpec['body'], { json: unknown }>['json']> };
  } catch {
    throw new InferError('the body is neither JSON nor XML', 'give a file with the body as it is sent');
  }
}

/** Splits a query into plain parameters and credentials. Of repeated names the last is kept. */
function readQuery(query: URLSearchParams) {
  const isSecret = ([name]: readonly [string, string]) => isSecretName(name) || /^code$/i.test(name);
  const plain = [...query].filter((one) => !isSecret(one));
  return { plain: Object.fromEntries(plain), secret: [...query].filter(isSecret) };
}

/** Splits the headers. A header that is not known to be harmless counts as a credential, the likeliest first. */
function splitHeaders(lines: readonly string[]) {
  const headers = lines.map(readHeader);
  const named = (pattern: RegExp) => headers.filter(({ name }) => pattern.test(name));
  return {
    contentType: named(/^content-type$/i)[0]?.value,
    credentials: headers
      .filter(({ name }) => !PUBLIC_HEADER.test(name))
      .sort((a, b) => secretRank(a.name) - secretRank(b.name)),
    actions: headersOf(named(/^soapaction$/i)),
    constants: headersOf(
      named(PUBLIC_HEADER).filter(({ name }) => !/^(?:accept|content-type|soapaction)$/i.test(name)),
    ),
  };
}

const headersOf = (headers: readonly Header[]): Readonly<Record<string, string>> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, value]));

/** The `auth` section: the first credential among the headers, in the address, or in its query. */
function authOf(
  header: Header | undefined,
  { username, password }: URL,
  parameter: readonly [string, string] | undefined,
  secrets: Secrets,
): InferTarget['auth'] {
  if (header !== undefined) return headerAuth(header, secrets);
  if (username !== '') return basicAuth(decodeURIComponent(username), decodeURIComponent(password), secrets);
  if (parameter === undefined) return undefined;
  const [name, value] = parameter;
  return { kind: 'query', name, value: secrets.hide(value, name) };
}

/** Reads the operator's description of a service. @throws InferError */
export function readInferTarget(options: TargetOptions): InferTarget {
  const url = readUrl(options.url);
  const name = sourceName(options.name, url);
  const secrets = createSecrets(name);
  const { contentType, credentials, actions, constants } = splitHeaders(options.headers);
  const [first, ...more] = credentials;
  const { plain, secret } = readQuery(url.searchParams);
  const auth = authOf(first, url, secret[0], secrets);
  const inRequest = secret.slice(auth?.['kind'] === 'query' ? 1 : 0);
  const hidden = inRequest.map(([key, value]) => [key, secrets.hide(value, key)] as const);
  const body = options.body === undefined ? undefined : readBody(options.body, contentType, secrets);
  const request: RequestSpec = {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    path: url.pathname.replaceAll('{', '%7B').replaceAll('}', '%7D'),
    query: { ...plain, ...Object.fromEntries(hidden) },
    headers: actions,
    ...(body !== undefined && { body }),
  };
  const variable = findVariable(request);
  if (variable !== undefined)
    throw new InferError(
      `the request holds ${variable}, which a source file reads as a variable`,
      'write a space after the brace, if the service allows one',
    );
  const others = more.map(
    (one) => [one.name, secrets.hide(one.value, one.name.replace(/^x-/i, ''))] as const,
  );
  const headers = { ...constants, ...Object.fromEntries(others) };
  return { name, baseUrl: url.origin, request, secrets, auth, headers, constants };
}
