import type { RequestSpec } from '../../config/schema/source.ts';
import { addedHeaderName, headerValue } from '../../config/schema/scalars.ts';
import { findVariable } from './request-parameters.ts';
import { createSecrets, isSecretName, type Secrets } from './secrets.ts';
import { InferError } from '../infer-error.ts';

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
  readonly credential: {
    readonly headers: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
  };
  /** The `auth` section of the draft. */
  readonly auth: Readonly<Record<string, unknown>> | undefined;
  /** The headers as the draft has them, and as they are sent. */
  readonly headers: {
    readonly written: Readonly<Record<string, string>>;
    readonly sent: Readonly<Record<string, string>>;
  };
};

/** Headers that are not credentials. Every other header counts as one. */
const HARMLESS =
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
    throw new InferError('the address does not begin with http:// or https://');
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
  return { kind: 'basic', user: secrets.hide(user, 'user'), password: secrets.hide(password, 'password') };
}

const basicHeader = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;

/** Replaces credentials in a JSON body by variables: by their names, and Odoo's password by its place. */
function hideInJson(tree: unknown, secrets: Secrets, key = ''): unknown {
  if (typeof tree === 'string')
    return tree !== '' && isSecretName(key) && key !== 'key' && key !== 'code'
      ? secrets.hide(tree, key)
      : tree;
  if (Array.isArray(tree)) return tree.map((one) => hideInJson(one, secrets, key));
  if (typeof tree !== 'object' || tree === null) return tree;
  const call = tree as Record<string, unknown>;
  const entries = Object.entries(call).map(([name, value]) => {
    if (
      name === 'args' &&
      call['service'] === 'object' &&
      Array.isArray(value) &&
      typeof value[2] === 'string'
    ) {
      const args = [...(value as unknown[])];
      args[2] = secrets.hide(value[2], 'password');
      return [name, args];
    }
    return [name, hideInJson(value, secrets, name)];
  });
  return Object.fromEntries(entries) as unknown;
}

function hideInXml(xml: string, secrets: Secrets): string {
  return xml.replaceAll(
    /<((?:[\w.-]+:)?([\w.-]+))((?:\s[^<>]*)?)>([^<]+)<\/\1>/g,
    (all, tag: string, name: string, attributes: string, text: string) =>
      isSecretName(name) && name !== 'Code'
        ? `<${tag}${attributes}>${secrets.hide(text.trim(), name)}</${tag}>`
        : all,
  );
}

/** Adds a space after each brace of a GraphQL query, since a source file reads `{name}` as a variable. */
function spaceBraces(tree: unknown, key = ''): unknown {
  if (typeof tree === 'string') return key === 'query' ? tree.replaceAll(/\{(?=[A-Za-z])/g, '{ ') : tree;
  if (Array.isArray(tree)) return tree.map((one) => spaceBraces(one));
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, spaceBraces(value, name)]));
}

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
    const json = spaceBraces(hideInJson(JSON.parse(text), secrets));
    return { json: json as NonNullable<Extract<RequestSpec['body'], { json: unknown }>['json']> };
  } catch {
    throw new InferError('the body is neither JSON nor XML', 'give a file with the body as it is sent');
  }
}

/** Splits the query of a URL into plain parameters and credentials. Of repeated names the last is kept. */
function readQuery(url: URL): { plain: Record<string, string>; secret: readonly [string, string][] } {
  const all = [...url.searchParams];
  const secret = all.filter(([name]) => isSecretName(name));
  return { plain: Object.fromEntries(all.filter(([name]) => !isSecretName(name))), secret };
}

/** Reads the operator's description of a service. @throws InferError */
export function readInferTarget(options: TargetOptions): InferTarget {
  const url = readUrl(options.url);
  const name = sourceName(options.name, url);
  const secrets = createSecrets(name);
  const given = options.headers.map(readHeader);
  const contentType = given.find((header) => /^content-type$/i.test(header.name))?.value;
  const isBase = (header: Header) => !/^(?:accept|content-type)$/i.test(header.name);
  const [credentials, plain] = [
    given.filter((header) => !HARMLESS.test(header.name)),
    given.filter((header) => HARMLESS.test(header.name) && isBase(header)),
  ];
  const [first, ...more] = [...credentials].sort(
    (a, b) => Number(/^authorization$/i.test(b.name)) - Number(/^authorization$/i.test(a.name)),
  );
  const { plain: query, secret } = readQuery(url);
  const userinfo =
    url.username === ''
      ? undefined
      : ([url.username, url.password].map(decodeURIComponent) as [string, string]);
  const auth = first !== undefined ? headerAuth(first, secrets) : userinfo && basicAuth(...userinfo, secrets);
  const [keyed, ...others] = secret;
  const queryAuth =
    auth === undefined && keyed !== undefined
      ? { kind: 'query', name: keyed[0], value: secrets.hide(keyed[1], keyed[0]) }
      : undefined;
  const hiddenQuery = (queryAuth === undefined ? secret : others).map(([key, value]) => [
    key,
    secrets.hide(value, key),
  ]);
  const body = options.body === undefined ? undefined : readBody(options.body, contentType, secrets);
  const request: RequestSpec = {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    path: url.pathname.replaceAll('{', '%7B').replaceAll('}', '%7D'),
    query: { ...query, ...(Object.fromEntries(hiddenQuery) as Record<string, string>) },
    headers: Object.fromEntries(
      plain
        .filter((header) => /^soapaction$/i.test(header.name))
        .map((header) => [header.name, header.value]),
    ),
    ...(body !== undefined && { body }),
  };
  const variable = findVariable(request);
  if (variable !== undefined)
    throw new InferError(
      `the request holds ${variable}, which a source file reads as a variable`,
      'write a space after the brace, if the service allows one',
    );
  const constants = plain.filter((header) => !/^soapaction$/i.test(header.name));
  return {
    name,
    baseUrl: url.origin,
    request,
    secrets,
    credential: {
      headers: {
        ...Object.fromEntries(credentials.map((header) => [header.name, header.value])),
        ...(first === undefined && userinfo !== undefined && { Authorization: basicHeader(...userinfo) }),
      },
      query: queryAuth === undefined || keyed === undefined ? {} : { [keyed[0]]: keyed[1] },
    },
    auth: auth ?? queryAuth,
    headers: {
      written: Object.fromEntries([
        ...constants.map((header) => [header.name, header.value]),
        ...more.map((header) => [header.name, secrets.hide(header.value, header.name.replace(/^x-/i, ''))]),
      ]) as Record<string, string>,
      sent: Object.fromEntries(constants.map((header) => [header.name, header.value])),
    },
  };
}
