import type { UpstreamRequest, HttpReply } from '../../support/upstream/scripted-upstream.ts';

/** A record of the service, as it is stored: what a reply leaves out is absent here. */
export type StoredUser = Readonly<Record<string, unknown>> & { readonly id: number };

/** The record number `n`, from 1. */
export const storedUser = (n: number): StoredUser => ({
  id: n,
  first: `Ada${n}`,
  last: 'Byron',
  mail: `ada${n}@web.example`,
  contact: { mail: `ada${n}@web.example`, phone: String(n) },
  since: `2020-05-${String(1 + (n % 28)).padStart(2, '0')}T00:00:00Z`,
});

/** How a service writes its list, and how a source file reads it. */
export type FieldDialect =
  'json' | 'dropped' | 'nested' | 'joined' | 'defaulted' | 'xml' | 'csv' | 'cursor' | 'details';

const offset = '{ kind: offset, base: 0, sizeMax: 100 }';
const LISTS: Readonly<Record<FieldDialect, string>> = {
  json: `window: ${offset}\n      items: rows`,
  // What no fast reader knows.
  dropped: `window: ${offset}\n      items: rows\n      dropWhen: [{ at: gone, equals: true }]`,
  nested: `window: ${offset}\n      items: rows`,
  joined: `window: ${offset}\n      items: rows`,
  defaulted: `window: ${offset}\n      items: rows`,
  xml: `window: ${offset}\n      items: list.rows.row`,
  csv: "window: { kind: none }\n      items: ''",
  cursor: 'window: { kind: cursor, sizeMax: 100, next: next }\n      items: rows',
  details: `window: ${offset}\n      items: rows\n      hydrate: get`,
};
const MAIL: Partial<Record<FieldDialect, string>> = {
  nested: '{ from: contact.mail, as: [trim] }',
  defaulted: "{ from: mail, as: [{ default: 'nobody@web.example' }] }",
};

/** The source file of such a service. */
export function sourceOf(dialect: FieldDialect, baseUrl: string): string {
  const format = dialect === 'xml' || dialect === 'csv' ? dialect : 'json';
  const xml = format === 'xml' ? ', arrays: [list.rows.row]' : '';
  const query = {
    csv: '{}',
    cursor: "{ count: '{limit}', after: '{cursor}' }",
    offset: "{ from: '{offset}', count: '{limit}' }",
  }[dialect === 'csv' || dialect === 'cursor' ? dialect : 'offset'];
  const total = `total: { at: ${format === 'xml' ? 'list.total' : 'total'} }\n      order: id`;
  const name = dialect === 'joined' ? "{ from: [first, last], as: [{ join: ' ' }] }" : 'first';
  const mail = `email: ${MAIL[dialect] ?? 'mail'}`;
  const since = 'created_at: { from: since, as: [iso8601] }';
  const get = `get:
      request: { path: '/users/{id}' }
      item: ${{ json: "''", xml: 'row', csv: "{ at: '' }" }[format]}
      map:
        id: id
        name: ${name}
        ${mail}
        ${since}
        profile.bio: null
        profile.location: null
        profile.avatar_url: null`;
  return `source: 1
name: people
net: { baseUrl: '${baseUrl}' }
auth: { kind: none }
decode: { format: ${format}${xml} }
budget: { rows: 20000, calls: 500, time: 30s, snapshot: 10s }
outcomes:
  - { status: 200, is: ok }
  - { status: 404, on: get, is: not_found }
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: ${query} }
      ${LISTS[dialect]}
      ${dialect === 'csv' ? '' : total}
      map:
        id: id
        name: ${name}
        ${dialect === 'details' ? '' : `${mail}\n        ${since}`}
    ${get}
`;
}

const XML = { 'content-type': 'text/xml' };
const CSV = { 'content-type': 'text/csv' };
const tag = (name: string, value: unknown) => `<${name}>${String(value)}</${name}>`;
const xmlRow = (row: StoredUser) =>
  tag(
    'row',
    Object.entries(row)
      .map(([key, value]) => tag(key, value))
      .join(''),
  );

function csvOf(rows: readonly StoredUser[]): string {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((key) => key !== 'contact');
  const line = (row: StoredUser) =>
    keys
      .map((key) =>
        typeof row[key] === 'object' ? '' : String((row[key] as string | number | undefined) ?? ''),
      )
      .join(',');
  return [keys.join(','), ...rows.map(line)].join('\n');
}

/** Answers a request from the rows that the service has now. */
export function answerOf(
  dialect: FieldDialect,
  rows: readonly StoredUser[],
  request: UpstreamRequest,
): HttpReply {
  if (!Number.isNaN(request.id)) {
    const row = rows.find(({ id }) => id === request.id);
    if (row === undefined) return { status: 404 };
    if (dialect === 'xml') return { headers: XML, body: xmlRow(row) };
    return dialect === 'csv' ? { headers: CSV, body: csvOf([row]) } : { body: row };
  }
  const { query } = request;
  const after = Number(query.get('after') ?? 0);
  const from = Number(query.get('from') ?? after);
  const count = Number(query.get('count') ?? rows.length);
  const page = rows.slice(from, from + count);
  const next = dialect === 'cursor' && from + count < rows.length ? { next: String(from + count) } : {};
  if (dialect === 'csv') return { headers: CSV, body: csvOf(rows) };
  const xml = tag('list', `${tag('total', rows.length)}${tag('rows', page.map(xmlRow).join(''))}`);
  if (dialect === 'xml') return { headers: XML, body: xml };
  return { body: { total: rows.length, rows: page, ...next } };
}
