import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { askRaw, request } from '../../support/client/raw-client.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';
import {
  type ScriptedUpstream,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
version: v1
title: Shop
resources:
  files:
    singular: file
    id: { prefix: '' }
    fields: { label: { kind: text } }
    single: { size: { kind: integer } }
    filters: { label: { field: label, is: equal }, ids: { field: id, is: one_of } }
`;

const ROW_MAP = 'map: { id: id, label: label }';
const source = (baseUrl: string, get: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  files:
    id: { kind: text }
    list:
      request: { path: /api/files/all/rows, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: total }
      items: rows
      order: id
      orderIs: documented
      filters: { label: { eq: { path: '/api/labels/{value}/files', exactness: exact } } }
      ${ROW_MAP}
    get: { request: ${get}, item: '', map: { id: id, label: label, size: size } }
`;
const BY_PATH = `{ path: '/api/files/{id}' }`;
const BY_QUERY = `{ path: /api/file, query: { id: '{id}' } }`;

/** Ids and labels with which a path leads elsewhere where it is decoded before it is resolved. */
const LEAVING = [
  '../secrets',
  '..\\secrets',
  'a/../../secrets',
  './all',
  'a/..',
  '../',
  'a/.;v=1/b',
  '‥/secrets',
  '..／x',
];
const STAYING = ['a/b', '..a', 'a..', '.hidden', 'a/.b', '...', '%2e%2e', '..%2f', 'a;b', 'a b?c#d'];

const rowOf = (id: string) => ({ id, label: id, size: id.length });
const ROWS = [...LEAVING, ...STAYING].map(rowOf);

/** A service that decodes a path, takes a compatible letter for its plain one and resolves `..`, before it looks at it. */
function reply({ path, query }: UpstreamRequest) {
  const decoded = decodeURIComponent(path)
    .normalize('NFKC')
    .replaceAll('\\', '/')
    .replaceAll(/;[^/]*/g, '');
  const { pathname } = new URL(decoded.replaceAll(/[%?#]/g, encodeURIComponent), 'http://service');
  if (!/^\/api\/(?:file$|files\/|labels\/)/.test(pathname)) return { body: rowOf('the secret') };
  const id = query.get('id') ?? /^\/api\/files\/(?!all\/rows)(.*)$/.exec(path)?.[1];
  if (id !== undefined) return { body: ROWS.find((row) => row.id === decodeURIComponent(id)) ?? {} };
  const label = /^\/api\/labels\/(.*)\/files$/.exec(path)?.[1];
  const rows = ROWS.filter((row) => label === undefined || row.label === decodeURIComponent(label));
  const from = Number(query.get('from'));
  return { body: { total: rows.length, rows: rows.slice(from, from + 50) } };
}

let upstream: ScriptedUpstream;
async function start(get: string, change = (text: string) => text): Promise<SourceGateway> {
  upstream = endAfterTest(await startUpstream(serving(reply)));
  const sources = { 'shop.yaml': change(source(upstream.origin, get)) };
  return endAfterTest(await startGateway({ contract: CONTRACT, sources }));
}

const escaped = (text: string) =>
  text.replaceAll(/[^A-Za-z0-9_.-]/gu, (one) =>
    [...Buffer.from(one)].map((byte) => `~${byte.toString(16).padStart(2, '0')}`).join(''),
  );
const statusOf = async ({ url }: SourceGateway, path: string) =>
  (await fetch(`${url}/v1/files${path}`)).status;
const idsOf = async ({ url }: SourceGateway, query: string) => {
  const { data } = (await (await fetch(`${url}/v1/files${query}`)).json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
};

describe('an id in the path of a request', () => {
  it.each(LEAVING)(
    'that a service may take for another path is nobody’s, and never asked for: %s',
    async (id) => {
      const gateway = await start(BY_PATH);
      expect(await statusOf(gateway, `/${escaped(id)}`)).toBe(404);
      expect(upstream.calls).toBe(0);
      // The list has it all the same.
      expect(await idsOf(gateway, `?ids=${escaped(id)}`)).toEqual([escaped(id)]);
    },
  );

  it.each(['.', '..', '~2e', '~2e~2e', '%2e', '%2e%2e', '.%2e', '%252e%252e'])(
    'cannot be a directory, however it is written: %s',
    async (id) => {
      const gateway = await start(BY_PATH);
      // A client resolves some of these itself, so the path is sent as it stands.
      const { status } = await askRaw(Number(new URL(gateway.url).port), request('GET', `/v1/files/${id}`));
      expect(status).toBe(404);
      expect(upstream.calls).toBe(0);
    },
  );

  it('that is the path of the list once it is decoded is never asked for', async () => {
    const gateway = await start(BY_PATH);
    expect(await statusOf(gateway, '/all~2frows')).toBe(404);
    expect(upstream.calls).toBe(0);
  });

  it.each(STAYING)('is one segment of it, and comes back: %s', async (id) => {
    const gateway = await start(BY_PATH);
    expect(await statusOf(gateway, `/${escaped(id)}`)).toBe(200);
    expect(upstream.requests.at(-1)?.path.split('/')).toHaveLength(4);
  });
});

describe('an id in a query', () => {
  it.each(LEAVING)('leads nowhere, so it is asked for: %s', async (id) => {
    const gateway = await start(BY_QUERY);
    expect(await statusOf(gateway, `/${escaped(id)}`)).toBe(200);
  });
});

describe('the value of a filter in the path of a request', () => {
  it.each([...LEAVING, ...STAYING, '.', '..'])('never leads elsewhere: %s', async (label) => {
    const gateway = await start(BY_PATH);
    expect(await idsOf(gateway, `?label=${encodeURIComponent(label)}`)).toEqual(
      ROWS.flatMap(({ id }) => (id === label ? escaped(id) : [])),
    );
    for (const { path } of upstream.requests)
      expect(['/api/files/all/rows', `/api/labels/${encodeURIComponent(label)}/files`]).toContain(path);
    if (!STAYING.includes(label))
      expect(new Set(upstream.requests.map(({ path }) => path))).toEqual(new Set(['/api/files/all/rows']));
  });
});

describe('the id of a row whose details are asked for by a path', () => {
  const DETAILS = `map: { id: id }
      hydrate: { request: ${BY_PATH}, item: '', map: { id: id, label: label } }`;
  const hydrated = (text: string) => text.replace(ROW_MAP, DETAILS);

  it('is no id if it leads elsewhere: its record is left out of data and total', async () => {
    const gateway = await start(BY_PATH, (text) =>
      hydrated(text).replace('    list:', '    onInvalidRecord: drop\n    list:'),
    );
    const { data, meta } = (await (await fetch(`${gateway.url}/v1/files?limit=3`)).json()) as {
      data: { label: string }[];
      meta: { total: number };
    };
    expect([data.map(({ label }) => label).length, meta.total]).toEqual([3, STAYING.length]);
    expect(await idsOf(gateway, '?limit=50')).toEqual(
      expect.arrayContaining(STAYING.map((id) => escaped(id))),
    );
  });

  it('fails the list if records without an id do', async () => {
    const gateway = await start(BY_PATH, hydrated);
    expect(await statusOf(gateway, '')).toBe(502);
    expect(upstream.requests.map(({ path }) => path)).toEqual(
      upstream.requests.map(() => '/api/files/all/rows'),
    );
  });
});
