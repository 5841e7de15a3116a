import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** A parameter of a list, as the document describes it. */
type Parameter = {
  readonly name: string;
  readonly schema: { readonly enum?: readonly string[]; readonly maximum?: number };
};
type Operation = {
  readonly parameters: readonly Parameter[];
  readonly responses: {
    readonly 200: { readonly content: { readonly 'application/json': { schema: object } } };
  };
};
type OpenapiDocument = { readonly paths: Readonly<Record<string, { readonly get: Operation }>> };

/** The members of an answer that a client reads before its fields. */
type Body = {
  readonly data: { readonly id: string } | readonly { readonly id: string }[];
  readonly meta?: object;
};

/** A client of the API as a gateway once described it. */
export type OldClient = {
  /** What it misses at a gateway: answers that it cannot read, or that are not about the records it was told of before. */
  missesAt(url: string): Promise<readonly string[]>;
};

/** How the values of a filter are asked for that the document does not list. */
export type AskedValues = Readonly<Record<string, readonly string[]>>;

/** The queries of a list: each parameter with each of its values. */
function queriesOf({ parameters }: Operation, values: AskedValues): readonly string[] {
  const asked = parameters.flatMap(({ name, schema }) => {
    const own = values[name] ?? schema.enum ?? (name === 'limit' ? ['1', String(schema.maximum)] : ['1']);
    return own.map((value) => `?${new URLSearchParams({ [name]: value }).toString()}`);
  });
  return ['', ...asked];
}

/** The document as clients take it that pass over what they do not know. */
async function documentOf(url: string): Promise<OpenapiDocument> {
  const response = await fetch(`${url}/v1/openapi.json`);
  return JSON.parse(await response.text(), (key, value: unknown) =>
    key === 'additionalProperties' ? undefined : value,
  ) as OpenapiDocument;
}

async function ask(url: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

/** Which records an answer is about, in their order, and how many there are. */
function aboutOf(body: unknown): string {
  const { data, meta } = body as Body;
  return JSON.stringify([[data].flat().map(({ id }) => id), meta]);
}

/**
 * Makes a client from the OpenAPI document of a gateway. It asks whatever the document offers and this gateway answers, holds
 * each answer against the schema of the document, and expects the same records in the same order again.
 */
export async function generateClient(
  url: string,
  ids: readonly string[],
  values: AskedValues,
): Promise<OldClient> {
  const document = await documentOf(url);
  const ajv = new Ajv2020({ strict: false, logger: false });
  ajv.addSchema(document, 'openapi');
  const known: { path: string; about: string; fits: ValidateFunction }[] = [];
  for (const [template, { get }] of Object.entries(document.paths)) {
    const pointer = ['paths', template, 'get', 'responses', '200', 'content', 'application/json', 'schema']
      .map((key) => encodeURIComponent(key.replaceAll('/', '~1')))
      .join('/');
    const fits = ajv.getSchema(`openapi#/${pointer}`) as ValidateFunction;
    const paths = template.includes('{id}')
      ? ids.map((id) => template.replace('{id}', id))
      : queriesOf(get, values).map((query) => template + query);
    for (const path of paths) {
      const { status, body } = await ask(url + path);
      if (status === 200) known.push({ path, about: aboutOf(body), fits });
    }
  }

  async function missesAt(other: string): Promise<readonly string[]> {
    const misses: string[] = [];
    for (const { path, about, fits } of known) {
      const { status, body } = await ask(other + path);
      if (status !== 200) misses.push(`${path}: ${status}`);
      else if (!fits(body)) misses.push(`${path}: ${ajv.errorsText(fits.errors)}`);
      else if (aboutOf(body) !== about) misses.push(`${path}: ${aboutOf(body)}, and was ${about}`);
    }
    return misses;
  }
  return { missesAt };
}
