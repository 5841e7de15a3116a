import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';

/** An answer of the public listener, whole. */
export type Answer = {
  readonly status: number;
  /** The value of a header, `null` where it is absent; names in any case. */
  header(name: string): string | null;
  readonly body: string;
};

/** How the answers of a gateway may differ from the document, by its configuration. */
export type CheckOptions = {
  /** `errors.serverStatus: contract`: server-side faults come as 500, whatever their code. */
  readonly serverErrorsAs500?: boolean;
};

type Schema = object | boolean;
type ResponseSpec = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly content?: unknown;
  /** Of a header. */
  readonly required?: boolean;
};
type OpenapiDocument = {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly responses: Record<string, ResponseSpec> } }>
  >;
  readonly components: Readonly<Record<string, Readonly<Record<string, ResponseSpec>>>>;
};

/** The committed description of the API. */
export const openapi = JSON.parse(readFileSync('config/openapi.json', 'utf8')) as OpenapiDocument;

// ajv-formats is CommonJS: depending on the loader, its default export is one level down.
const addFormats = (addFormatsModule as { default?: unknown }).default ?? addFormatsModule;
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
(addFormats as (target: Ajv2020) => void)(ajv);
// The members of the document that are no JSON Schema, so that its schemas can be found inside of it.
ajv.addVocabulary(Object.keys(openapi));
ajv.addSchema(openapi, 'openapi');

const REQUEST_ID = /^req_[A-Za-z0-9_-]{22}$/;
const ERROR_BODY = /^\{"error":/;

/** Fails, with everything that is wrong, where a value does not satisfy the schema at a pointer of the document. */
function validate(pointer: readonly string[], value: unknown, what: string): void {
  const fragment = pointer
    .map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent);
  const check = ajv.getSchema(`openapi#/${fragment.join('/')}`);
  if (check === undefined) throw new Error(`the document has no schema at ${pointer.join(' ')}`);
  if (check(value) !== true) throw new Error(`${what}: ${ajv.errorsText(check.errors)}`);
}

/** The path of the document that a request path belongs to. */
function documentedPath(path: string): string | undefined {
  const plain = path.replace(/[?#].*$/s, '').replace(/(.)\/$/, '$1');
  return Object.keys(openapi.paths).find((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  );
}

/** A response of an operation, or what stands behind its reference, with where it stands. */
function responseSpec(path: string, status: string): { spec: ResponseSpec; pointer: string[] } {
  const spec = openapi.paths[path]?.get.responses[status] as (ResponseSpec & { $ref?: string }) | undefined;
  if (spec === undefined) throw new Error(`${path} has no response ${status} in the document`);
  if (spec.$ref === undefined) return { spec, pointer: ['paths', path, 'get', 'responses', status] };
  const pointer = spec.$ref.replace('#/', '').split('/');
  return { spec: openapi.components['responses']?.[pointer.at(-1) ?? ''] as ResponseSpec, pointer };
}

function checkHeaders({ spec }: { spec: ResponseSpec }, answer: Answer): void {
  for (const name of Object.keys(spec.headers ?? {})) {
    const text = answer.header(name);
    const mayLack = openapi.components['headers']?.[name]?.required === false;
    if (text === null && mayLack) continue;
    if (text === null) throw new Error(`the header ${name} is missing`);
    const value = /^\d+$/.test(text) ? Number(text) : text;
    validate(['components', 'headers', name, 'schema'], value, `header ${name}`);
  }
}

/** What holds for every answer, whatever was asked. */
function checkEnvelope(answer: Answer): void {
  if (!REQUEST_ID.test(answer.header('x-request-id') ?? '')) throw new Error('no X-Request-Id of ours');
  for (const name of ['server', 'x-powered-by', 'set-cookie'])
    if (answer.header(name) !== null) throw new Error(`the header ${name} is nobody's business`);
}

function checkError(answer: Answer, { serverErrorsAs500 = false }: CheckOptions): void {
  const body = JSON.parse(answer.body) as { error: { code: string; request_id: string } };
  validate(['components', 'schemas', 'Error'], body, 'error body');
  if (body.error.request_id !== answer.header('x-request-id')) throw new Error('request_id is another one');
  if (answer.header('cache-control') !== 'no-store') throw new Error('an error is not no-store');
  const name = `Error${answer.status}`;
  const spec = openapi.components['responses']?.[name];
  if (spec === undefined) throw new Error(`the document has no error of status ${answer.status}`);
  const isDocumented = spec.description.includes(`\`${body.error.code}\``);
  if (!isDocumented && !(serverErrorsAs500 && answer.status === 500))
    throw new Error(`the document does not tell ${body.error.code} under ${answer.status}`);
  checkHeaders({ spec }, answer);
}

function checkMediaType(answer: Answer): void {
  if (answer.header('content-type') !== 'application/json; charset=utf-8')
    throw new Error(`media type ${answer.header('content-type')}`);
  const length = answer.header('content-length');
  const plain = Buffer.byteLength(answer.body);
  // What was decoded on the way here is told by its length on the way.
  const fits = answer.header('content-encoding') === null ? Number(length) === plain : Number(length) < plain;
  if (length === null || !fits) throw new Error(`Content-Length ${length}`);
}

function checkDocumented(path: string, answer: Answer): void {
  const { spec, pointer } = responseSpec(path, String(answer.status));
  checkHeaders({ spec }, answer);
  if (spec.content === undefined) {
    if (answer.body !== '') throw new Error('a body where none may be');
    return;
  }
  checkMediaType(answer);
  validate([...pointer, 'content', 'application/json', 'schema'], JSON.parse(answer.body), 'body');
}

function check(method: string, path: string, answer: Answer, options: CheckOptions): void {
  checkEnvelope(answer);
  // Without a body, only the headers can tell; they are those of the GET.
  if (method === 'HEAD' || answer.status === 204) {
    if (answer.body !== '') throw new Error(`a body in the answer to ${method}`);
    return;
  }
  const documented = documentedPath(path);
  if (ERROR_BODY.test(answer.body)) {
    checkMediaType(answer);
    checkError(answer, options);
  } else if (answer.status >= 400 && path.startsWith('/v1/')) {
    throw new Error('an error in other words than the contract has');
  }
  if (documented !== undefined && (method === 'GET' || answer.status === 405))
    checkDocumented(documented, answer);
}

/**
 * Checks an answer against the committed OpenAPI document: its status, the headers declared for it and its body, by
 * operation. Errors must be told under their status, with the id of the header. What is passed through untranslated
 * is checked for the headers that are ours. Throws with everything that is wrong.
 */
export function checkAnswer(method: string, path: string, answer: Answer, options: CheckOptions = {}): void {
  try {
    check(method, path, answer, options);
  } catch (cause) {
    const head = `${method} ${path} → ${answer.status}`;
    throw new Error(`${head} is not what the contract says: ${String(cause)}\n${answer.body.slice(0, 300)}`, {
      cause,
    });
  }
}

/** `fetch`, with the answer checked by `checkAnswer`. It waits for the whole body. */
export async function checkedFetch(
  url: string,
  init: RequestInit = {},
  options: CheckOptions = {},
): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname, search } = new URL(url);
  const answer = {
    status: response.status,
    header: (name: string) => response.headers.get(name),
    body: await response.clone().text(),
  };
  checkAnswer(init.method ?? 'GET', pathname + search, answer, options);
  return response;
}
