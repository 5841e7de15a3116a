import { Ajv2020 } from 'ajv/dist/2020.js';
import { openapiDocument } from '../../../../src/contract/openapi.ts';
import { pageHtml } from '../../../../src/http/api-page/page-html.ts';
import { catalogue } from '../../../../src/kernel/errors/catalogue.ts';
import { compiledContract } from '../../../support/compiled-contract.ts';
import { everyKind, HOSTILE } from './every-kind-of-field.ts';

const { contract, problems } = compiledContract(everyKind);
const routes = [{ path: '/legacy/<b>', methods: ['GET', 'POST'], permission: null }];
const page = pageHtml({ root: './', hashes: new Map(), content: { contract, routes } });

type Schema = {
  type?: string | string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  $ref?: string;
  enum?: string[];
  description?: string;
  examples?: unknown[];
  default?: number;
  minimum?: number;
  maximum?: number;
  deprecated?: boolean;
  'x-sunset'?: string;
};
type Parameter = Schema & { name: string; schema: Schema };
type Get = {
  summary: string;
  description: string;
  parameters: Parameter[];
  responses: Record<string, object>;
};
type Document = {
  paths: Record<string, { get: Get }>;
  components: { schemas: Record<string, Schema> };
};
/** The document that clients get, as an oracle: what it says of an operation, the page says, too. */
const served = JSON.parse(JSON.stringify(openapiDocument(contract))) as Document;
const operations = Object.entries(served.paths).map(([path, { get }]) => ({ path, get }));

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const unescaped = (text: string) =>
  text.replaceAll(/&(\w+);/g, (entity, name: string) => CHARACTERS[name] ?? entity);
/** What a reader sees of HTML. */
const seen = (part: string) => unescaped(part.replaceAll(/<[^>]*>/g, ''));
/** A text without the backticks that make code of words. */
const plain = (text: string) => text.replaceAll('`', '');

/** The part of the page about an operation. */
function partOf(path: string): string {
  const parts = page.split('<section class="operation"');
  return parts.find((part) => part.includes(`<b>GET</b> <code>${path}</code>`)) ?? '';
}

/** The rows of the table of a part whose label begins with a word: each row as the texts of its cells. */
function rowsOf(part: string, label: string): readonly (readonly string[])[] {
  const found = part.split(`aria-label="${label}: `)[1]?.split('</table>')[0] ?? '';
  const [, ...rows] = found.split('<tr>').slice(1);
  return rows.map((row) => row.split(/<\/t[hd]>/).map(seen));
}

/** Every value of a schema by its path, as `lines[].sku`. */
function valuesOf(schema: Schema, before = ''): readonly (readonly [string, Schema])[] {
  return Object.entries(schema.properties ?? {}).flatMap(
    ([key, one]): readonly (readonly [string, Schema])[] => {
      const name = before + key;
      if (one.properties !== undefined) return valuesOf(one, `${name}.`);
      return [[name, one], ...(one.items === undefined ? [] : valuesOf(one.items, `${name}[].`))];
    },
  );
}

const resolved = ({ $ref = '', ...schema }: Schema) =>
  served.components.schemas[$ref.split('/').at(-1) ?? ''] ?? schema;

/** The schema of a record that an operation answers with. */
function recordOf({ responses }: Get): Schema {
  const { content } = responses['200'] as { content: Record<string, { schema: Schema }> };
  const { data = {} } = content['application/json']?.schema.properties ?? {};
  return resolved(data.items ?? data);
}

const isNullable = ({ type, anyOf }: Schema) =>
  Array.isArray(type) ? type.includes('null') : anyOf?.some((one) => one.type === 'null') === true;

/** All that a row has to say of a schema. */
const saidOf = ({
  description = '',
  enum: values = [],
  anyOf = [],
  items,
  examples = [],
  ...schema
}: Schema) => [
  plain(description),
  ...[...values, ...anyOf.flatMap((one) => one.enum ?? []), ...(items?.enum ?? [])],
  ...examples.map(String),
  ...(schema.default === undefined ? [] : [`Default: ${schema.default}.`]),
  ...(schema.maximum === undefined ? [] : [`${schema.minimum} to ${schema.maximum}.`]),
];
const marksOf = (schema: Schema) =>
  (schema.deprecated ? ' deprecated' : '') + (schema['x-sunset'] ? ` removed on ${schema['x-sunset']}` : '');

it('the contract is sound, and has operations of both kinds', () => {
  expect(problems).toEqual([]);
  expect(operations.map(({ path }) => path)).toEqual(['/v1/customers/{id}', '/v1/orders', '/v1/orders/{id}']);
});

describe.each(operations)('the reference of $path', ({ path, get }) => {
  const part = partOf(path);

  it('has its name, what it needs, and a link in the contents', () => {
    expect(seen(part)).toContain(get.summary);
    expect(seen(part)).toContain(plain(get.description));
    const [, anchor] = / id="([^"]+)"/.exec(part) ?? [];
    expect(page.split('</nav>')[0]).toContain(`<a href="#${anchor}"><b>GET</b> ${path}</a>`);
  });

  it('has a row for every parameter, with its values, its default and what it means', () => {
    const rows = rowsOf(part, 'Parameters');
    expect(rows.map(([name]) => name)).toEqual(get.parameters.map((one) => one.name + marksOf(one)));
    get.parameters.forEach(({ description, schema }, index) => {
      const said = saidOf({ ...schema, description: description ?? '' });
      for (const text of said) expect(rows[index]?.[2]).toContain(text);
    });
  });

  it('has a row for every field, with whether it may be null, its values, an example and what it means', () => {
    const rows = rowsOf(part, 'Fields');
    const values = valuesOf(recordOf(get));
    expect(rows.map(([name]) => name)).toEqual(values.map(([name, schema]) => name + marksOf(schema)));
    values.forEach(([, schema], index) => {
      expect(rows[index]?.[1]?.endsWith(', or null')).toBe(isNullable(schema));
      for (const text of saidOf(schema)) expect(rows[index]?.[2]).toContain(text);
    });
  });

  it('has every error, with its status and its meaning', () => {
    const rows = rowsOf(part, 'Errors').map(([status, code, meaning]) => [status, code, meaning]);
    const all = Object.entries(catalogue).map(([code, { status, sentence }]) => [
      String(status),
      code,
      sentence,
    ]);
    expect(rows).toEqual(all);
    expect(new Set(rows.map(([status]) => status))).toEqual(
      new Set(Object.keys(get.responses).filter((status) => Number(status) >= 400)),
    );
  });

  it('has an example of an answer, which the schema of the answer accepts', () => {
    const [, text = ''] = /aria-label="Example of an answer[^>]*><code>([^]*?)<\/code>/.exec(part) ?? [];
    const { content } = get.responses['200'] as { content: Record<string, { schema: Schema }> };
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const schema = { ...content['application/json']?.schema, components: served.components };
    expect([ajv.validate(schema, JSON.parse(unescaped(text))), ajv.errorsText()]).toEqual([
      true,
      'No errors',
    ]);
  });

  it('has code in three languages that asks for it', () => {
    const address = path.includes('{id}')
      ? path.replace('{id}', path.includes('cus') ? 'cus_42' : '42')
      : `${path}?limit=3`;
    const code = seen(part);
    for (const begin of [
      'curl -H "Authorization: Bearer $KEY" \\\n  "',
      'await fetch("',
      'urllib.request.Request("',
    ])
      expect(code).toContain(`${begin}https://api.example${address}"`);
  });

  it('has a form with a place for every parameter', () => {
    const form = part.slice(part.indexOf('<form'), part.indexOf('</form>'));
    expect(form).toContain(`data-path="${path.slice(1)}"`);
    expect(Array.from(form.matchAll(/data-name="([^"]+)"/g), ([, name]) => name)).toEqual(
      get.parameters.map(({ name }) => name),
    );
  });
});

describe('the kinds that the reference names', () => {
  const kinds = (path: string, label: string) =>
    Object.fromEntries(rowsOf(partOf(path), label).map(([name = '', kind]) => [name.split(' ')[0], kind]));

  it('are those of the contract', () => {
    expect(kinds('/v1/orders', 'Fields')).toEqual({
      ...{ id: 'id', number: 'text', status: 'enum, or null', total: 'decimal, or null' },
      ...{ items: 'integer, or null', paid: 'boolean, or null', due: 'date, or null' },
      ...{ placed_at: 'datetime, or null', customer: 'id of customers, or null' },
      ...{ 'address.city': 'text, or null', 'address.geo.lat': 'decimal, or null' },
      ...{ tags: 'list of enum, at most 7, or null', lines: 'list of objects, at most 1000, or null' },
      ...{ 'lines[].sku': 'text', 'lines[].of': 'integer, or null' },
    });
    expect(kinds('/v1/orders', 'Parameters')).toEqual({
      ...{
        page: 'integer',
        limit: 'integer',
        sort: 'enum',
        status: 'enum, or several with commas',
        exactly: 'enum',
      },
      ...{ customer: 'reference', least: 'decimal', after: 'datetime', due_by: 'date', has_due: 'boolean' },
      tag: 'enum',
    });
    expect(kinds('/v1/orders/{id}', 'Parameters')).toEqual({ id: 'id, required' });
  });

  it('come with the word that a resource is deprecated', () => {
    expect(seen(partOf('/v1/customers/{id}'))).toContain('Get a customer deprecated removed on 2027-06-30');
  });
});

describe('a hostile text of a contract file', () => {
  it('stands on the page as it is, and is no part of its HTML', () => {
    expect(page).not.toMatch(/<script(?! type="module" src=)|<img|<b>"|onerror="/);
    expect(page.split('&lt;script&gt;').length).toBeGreaterThan(8);
    expect(seen(partOf('/v1/orders'))).toContain(HOSTILE);
    expect(page).toContain('<code>/legacy/&lt;b&gt;</code>');
  });

  it('stands in no tag, as the title of the page', () => {
    const { contract: titled } = compiledContract(everyKind);
    const other = pageHtml({
      ...{ root: './', hashes: new Map() },
      content: { contract: { ...titled, title: HOSTILE }, routes: [] },
    });
    for (const [tag] of other.matchAll(/<[a-z][^>]*>/g)) expect(tag).not.toMatch(/alert|onerror/);
  });
});

it('every id of the page is there once, and every link of the page leads to one', () => {
  const ids = Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(anchor);
});
