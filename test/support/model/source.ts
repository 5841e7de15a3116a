import { stringify } from 'yaml';
import { type Capabilities, CATEGORIES, isLacking } from './capabilities.ts';

type Tree = Record<string, unknown>;

/** The parameters that ask for a window. */
function windowParameters({ window }: Capabilities): Tree {
  switch (window) {
    case 'offset':
      return { from: '{offset}', limit: '{limit}' };
    case 'page':
      return { from: '{page}', limit: '{limit}' };
    case 'cursor':
      return { limit: '{limit}', cursor: '{cursor}' };
    case 'keyset':
      return { limit: '{limit}', after: '{after}' };
    case 'link':
      return { limit: '{limit}' };
    case 'none':
      return {};
  }
}

function request(says: Capabilities, path: string, parameters: Tree, questions: readonly string[]): Tree {
  const asked =
    says.ask === 'expression'
      ? { filter: '{filter}', order: '{sort}' }
      : says.ask === 'items'
        ? { filters: '{filters}', sorts: '{sorts}' }
        : {};
  const wanted = Object.fromEntries(Object.entries(asked).filter(([name]) => questions.includes(name)));
  const all = { ...parameters, ...wanted };
  if (says.style === 'query') return { path, query: all };
  return { path, method: 'POST', body: says.style === 'json' ? { json: all } : { form: all } };
}

function windowSpec(says: Capabilities): Tree {
  const { window, base, size, pastEnd, hides, marks } = says;
  const ends = {
    pastEnd: pastEnd === 'last' || pastEnd === 'wrap' ? 'other' : 'empty',
    shortPage: hides && !marks ? 'anywhere' : 'end',
    ...(says.depth !== undefined && { depthMax: says.depth }),
  };
  switch (window) {
    case 'offset':
      return { kind: 'offset', base, sizeMax: size, ...ends };
    case 'page':
      return { kind: 'page', base, sizes: [size, size * 2], ...ends };
    case 'cursor':
      return { kind: 'cursor', sizeMax: size, next: says.format === 'xml' ? 'reply.next' : 'next' };
    case 'link':
      return { kind: 'link', sizeMax: size, next: { header: 'Link' }, origin: 'any' };
    case 'keyset':
      return { kind: 'keyset', sizeMax: size, key: 'key' };
    case 'none':
      return { kind: 'none' };
  }
}

function totalSpec(says: Capabilities): Tree | undefined {
  const { total, counts, format } = says;
  const inside = format === 'xml' ? 'reply.' : '';
  switch (total) {
    case 'path':
      return { at: `${inside}total`, counts };
    case 'header':
      return { header: 'X-Total', pattern: '^items \\*/(\\d+)$', counts };
    case 'bound':
      return { at: `${inside}total`, counts, unless: { at: `${inside}relation`, equals: 'gte' } };
    case 'count': {
      const at = { json: 'n', xml: 'count.n', csv: '[0].n', ndjson: '[0].n' }[format];
      return { at, counts, count: request(says, '/count', {}, ['filter', 'filters']) };
    }
    case 'none':
      return undefined;
  }
}

function filterSpec(says: Capabilities, field: string, op: string): Tree {
  const exactness = says.filter === 'superset' ? 'superset' : 'exact';
  switch (says.ask) {
    case 'parameters':
      return { query: { [`${field}.${op}`]: '{value}' }, exactness };
    case 'expression':
      return { expr: `${field} ${op} {value}`, escape: field === 'price' ? 'number' : 'odata', exactness };
    case 'items':
      return { item: { field, op, value: '{value}' }, exactness };
  }
}

function filtersSpec(says: Capabilities): Tree {
  if (says.filter === 'none' || says.resource === 'users') return {};
  return {
    filters: {
      category: { eq: filterSpec(says, 'category', 'eq') },
      price: { ge: filterSpec(says, 'price', 'ge'), le: filterSpec(says, 'price', 'le') },
    },
  };
}

function sortSpec(says: Capabilities): Tree {
  if (says.sort === 'none') return {};
  const columns = says.resource === 'users' ? ['id', 'name', 'email', 'created_at'] : ['id'];
  const how = {
    parameters: { query: { sort: '{column}', direction: '{direction}' } },
    expression: { expr: '{column} {direction}' },
    items: { item: { by: '{column}', way: '{direction}' } },
  }[says.ask];
  return { sort: { ...how, columns: Object.fromEntries(columns.map((column) => [column, { column }])) } };
}

function mapping({ resource, format, coded }: Capabilities): Tree {
  // A table of text has no null: nothing between two delimiters is one.
  const nothing = format === 'csv' ? [{ nullIf: [''] }] : [];
  const field = (name: string, ...steps: unknown[]) => ({ from: name, as: [...nothing, ...steps] });
  if (resource === 'users')
    return {
      ...{ id: 'key', name: field('name'), email: field('email') },
      created_at: field('created_at', 'iso8601'),
    };
  const labels = Object.fromEntries(CATEGORIES.map((label, index) => [`C${index}`, label]));
  return {
    ...{ id: 'key', name: field('name'), description: field('description') },
    category: coded ? field('category', { enum: labels }) : field('category'),
    price: coded ? field('price', 'cents') : field('price'),
  };
}

/** How a row by itself is asked for. */
function itemSpec({ missing, format }: Capabilities): Tree {
  const list = missing === '200 []';
  const item = { json: list ? '[0]' : 'item', xml: 'reply.item.row', csv: '[0]', ndjson: '[0]' }[format];
  return { request: { path: '/rows/{id}' }, item };
}

/** The mapping of the rows of a list, and where the rest stands. */
function rowsSpec(says: Capabilities): Tree {
  const all = Object.entries(mapping(says));
  if (says.lacks === 'nothing') return { map: mapping(says) };
  const lacking = all.filter(([name]) => name === 'id' || isLacking(says, name));
  const byGet = says.resource === 'users' && says.lacks === 'all';
  return {
    map: Object.fromEntries(all.filter(([name]) => name === 'id' || !isLacking(says, name))),
    hydrate: byGet ? 'get' : { ...itemSpec(says), map: Object.fromEntries(lacking) },
  };
}

function getSpec(says: Capabilities): Tree {
  if (says.resource === 'products') return {};
  const none = Object.fromEntries(
    ['bio', 'location', 'avatar_url'].map((name) => [`profile.${name}`, 'none']),
  );
  return { get: { ...itemSpec(says), map: { ...mapping(says), ...none } } };
}

/** What a reply without the record looks like, as a rule. */
function missingRule({ missing, format }: Capabilities): Tree {
  const inside = format === 'xml' ? 'reply.' : '';
  switch (missing) {
    case '404':
    case 'empty 404':
      return { status: 404 };
    case '403':
      return { status: 403 };
    case '200 null':
      return { status: 200, at: '', present: false };
    case '200 []':
      return { status: 200, at: '[0]', present: false };
    case '200 code':
      return { at: `${inside}rc`, equals: format === 'xml' ? '44' : 44 };
    case '500 fault':
      return { status: 500, at: `${inside}fault`, matches: '^E0404 ' };
  }
}

function itemsSpec({ format, rows }: Capabilities): unknown {
  if (format !== 'json') return { xml: 'reply.rows.row', csv: '', ndjson: '' }[format];
  return {
    ...{ list: 'rows', nodes: { at: 'rows', row: 'node' }, map: { at: 'rows', form: 'map' } },
    ...{ table: { at: 'rows', form: 'table', columns: 'head', columnName: 'name' } },
    columns: { at: 'rows', form: 'columns' },
  }[rows];
}

/** The source file that says these things of the upstream at `baseUrl`. */
export function modelSource(says: Capabilities, baseUrl: string): string {
  const xml = says.format === 'xml';
  const total = totalSpec(says);
  return stringify({
    source: 1,
    name: 'model',
    net: { baseUrl },
    decode: { format: says.format, delimiter: ';', arrays: ['reply.rows.row'] },
    outcomes: [
      { on: 'get', ...missingRule(says), is: 'not_found' },
      ...(typeof says.pastEnd === 'number' ? [{ on: 'list', status: says.pastEnd, is: 'past_end' }] : []),
      { status: 200, is: 'ok' },
    ],
    resources: {
      [says.resource]: {
        id: { kind: says.ids === 'number' || says.ids === 'padded' ? 'number' : 'text' },
        list: {
          request: request(says, '/rows', windowParameters(says), ['filter', 'order', 'filters', 'sorts']),
          window: windowSpec(says),
          ...(total && { total }),
          items: itemsSpec(says),
          ...(says.marks && { dropWhen: [{ at: 'gone', equals: [true, 'true'] }] }),
          itemsAbsent: xml ? 'empty' : 'invalid',
          order: says.order === 'own' ? 'source' : says.order === 'id' ? 'id' : 'unknown',
          orderIs: 'documented',
          ...sortSpec(says),
          ...filtersSpec(says),
          ...rowsSpec(says),
        },
        ...getSpec(says),
      },
    },
  });
}
