import { serving, startUpstream } from '../../../support/upstream/scripted-upstream.ts';
import { type Adapter, compileAdapter } from '../../../../src/source/adapter/compile.ts';
import { UNOBSERVED } from '../../../../src/source/adapter/map/reply-observer.ts';
import { resources } from '../../../support/reference.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { createAnswer } from '../../../../src/pipeline/answer/answer-query.ts';
import { createLocalClaims } from '../../../../src/pipeline/reading/windows/source-runtime.ts';
import { createLargeReplies } from '../../../../src/pipeline/reading/large-replies/large-replies.ts';
import { createScanCaches } from '../../../../src/pipeline/scan-cache/scan-caches.ts';
import { createUpstream } from '../../../../src/source/client/client.ts';
import { createSourceCall } from '../../../support/pipeline/call.ts';
import type { ModelRecord } from '../../../support/model/contract-model.ts';
import { parseList } from '../../../support/pipeline/parse-as.ts';
import { replyOf, specOf } from '../../../support/pipeline/source-text.ts';
import { codeOf, expectedBody } from '../../../unit/pipeline/reading/shop.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

/** The most rows of a large reply that this thread takes over at once. */
const ROWS_AT_ONCE = 256;

let body = Buffer.alloc(0);
let type = '';
let status = 200;
type Source = ReturnType<typeof openSource>;
const open: Source[] = [];
const upstream = startForAll(() =>
  startUpstream(serving(() => ({ status, headers: { 'Content-Type': type }, body }))),
);
afterEach(() => {
  status = 200;
});
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
});

const sourceText = (format: string) => `
net: { baseUrl: '${upstream.origin}', timeout: 60s, bytesMax: 64MiB }
decode: { format: ${format}, arrays: [${format === 'xml' ? 'rows.row' : ''}] }
budget: { rows: 100000, time: 60s, snapshot: 0s }
outcomes: [{ status: 200, is: ok }, { status: 503, is: rate_limited }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items }
      window: { kind: none }
      items: ${{ json: 'rows', csv: "''", xml: 'rows.row' }[format] ?? ''}
      map: { id: id, name: { from: name, as: [trim] }, description: description, price: { from: price, as: [{ number: { decimal: '.' } }] }, category: category }
`;

/** What this thread took over of a large reply at once, and in which turn of its event loop. */
type Part = { readonly rows: number; readonly turn: number };

/** Turns of the event loop in which something was read. */
let turns = 0;

/** An adapter that tells how many rows it has read, each time. */
function countReads(adapter: Adapter, onRead: (rows: number) => void): Adapter {
  const { list } = adapter;
  return {
    ...adapter,
    list: {
      ...list,
      read(reply, observer) {
        const rows = list.read(reply, observer);
        onRead(rows.records.length);
        setImmediate(() => (turns += 1));
        return rows;
      },
    },
  };
}

/** A source whose large replies are read aside, and what it told on the way. */
function openSource(format: string) {
  const spec = specOf(sourceText(format));
  const resource = resources.products;
  const adapter = compileAdapter(spec, resource, (path, message) => {
    throw new Error(`${path.join('.')}: ${message}`);
  })!;
  const read = { here: 0, parts: [] as Part[] };
  const countedHere = countReads(adapter, () => (read.here += 1));
  const largeReplies = createLargeReplies({ adapter: countedHere, resource, source: { spec } });
  const counted = countReads(largeReplies.adapter, (rows) => read.parts.push({ rows, turn: turns }));
  const upstream = createUpstream(spec, { onExchange: () => undefined });
  const missingValues: string[] = [];
  const runtime = {
    ...{ resource, adapter: counted, largeReplies, upstream, budget: spec.budget },
    ...{ clock: systemClock, claims: createLocalClaims() },
    observer: {
      ...UNOBSERVED,
      onMissingValue: (field: string, reason: string) => void missingValues.push(`${field} ${reason}`),
      contradicted: () => undefined,
    },
  };
  const scanCaches = createScanCaches(runtime, undefined);
  const answer = createAnswer(runtime, { fresh: 1 }, scanCaches);
  return {
    async close() {
      await Promise.all([scanCaches.close(), largeReplies.close()]);
      upstream.close();
    },
    format,
    missingValues,
    largeReplies,
    adapter,
    read,
    async list(raw: string, signal = new AbortController().signal): Promise<string> {
      const document = await answer(createSourceCall(parseList('products.list', raw), signal));
      return document.found ? document.body.toString() : '';
    },
  };
}

/** The source of a format, with its thread: to start one takes a second where types are stripped. */
function sourceOf(format: string): Source {
  const known = open.find((one) => one.format === format);
  const source = known ?? openSource(format);
  if (known === undefined) open.push(source);
  return source;
}

function recordsOf(count: number): ModelRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `prod_${at + 1}`,
    name: `Ähre & ${(at * 7_919) % count}`,
    description: 'as shops have them, '.repeat(3).trim(),
    price: `${at % 997}.${String(at % 100).padStart(2, '0')}`,
    category: `G${at % 20}`,
  }));
}

const FIELDS = ['id', 'name', 'description', 'price', 'category'] as const;
const valueOf = (record: ModelRecord, field: string) => (record[field] ?? '').replace('prod_', '');

/** Makes the server reply with these records. */
function serve(format: string, records: readonly ModelRecord[]): void {
  type = { json: 'application/json', csv: 'text/csv', xml: 'text/xml' }[format]!;
  if (format === 'csv') {
    const lines = records.map((record) => FIELDS.map((field) => `"${valueOf(record, field)}"`).join(','));
    body = Buffer.from([FIELDS.join(','), ...lines].join('\n'));
  } else if (format === 'xml') {
    const element = (record: ModelRecord) =>
      FIELDS.map((field) => `<${field}>${valueOf(record, field).replaceAll('&', '&amp;')}</${field}>`);
    body = Buffer.from(
      `<rows>${records.map((record) => `<row>${element(record).join('')}</row>`).join('')}</rows>`,
    );
  } else {
    const rows = records.map((record) =>
      Object.fromEntries(FIELDS.map((field) => [field, valueOf(record, field)])),
    );
    body = Buffer.from(JSON.stringify({ rows }));
  }
}

/** Does some work, of which every piece seems to take ten milliseconds. */
async function withSlowWork<T>(work: Promise<T>): Promise<T> {
  const now = performance.now.bind(performance);
  let time = now();
  performance.now = () => (time += 10);
  try {
    return await work;
  } finally {
    performance.now = now;
  }
}

describe.each(['json', 'csv', 'xml'])('a large reply of %s', (format) => {
  it.each(['limit=50&page=17', 'min_price=500&category=G7&limit=20&page=3'])(
    'is read as a small one is, by the thread: this one takes over a little in each turn of its event loop (%s)',
    async (query) => {
      const records = recordsOf(4_000);
      serve(format, records);
      const source = sourceOf(format);
      source.read.parts.length = 0;
      expect(await withSlowWork(source.list(query))).toBe(expectedBody('products', records, query));
      expect(source.read.here).toBe(0);
      const { parts } = source.read;
      expect(parts.reduce((sum, { rows }) => sum + rows, 0)).toBe(records.length);
      expect(Math.max(...parts.map(({ rows }) => rows))).toBeLessThanOrEqual(ROWS_AT_ONCE);
      expect(new Set(parts.map(({ turn }) => turn)).size).toBe(parts.length);
    },
  );
});

describe('a large reply that cannot be read', () => {
  const broken: readonly [string, () => void][] = [
    ['is not of the format', () => (body = Buffer.from(`{"rows":[${'{"id":1},'.repeat(20_000)}`))],
    ['has no rows', () => (body = Buffer.from(JSON.stringify({ other: 'x'.repeat(200_000) })))],
    [
      'has a record without an id',
      () => (body = Buffer.from(JSON.stringify({ rows: Array.from({ length: 60_000 }, () => ({})) }))),
    ],
    ['is of another type', () => (type = 'text/html')],
    ['says that there were too many', () => (status = 503)],
  ];
  it.each(broken)('fails with the same error as a small one where it %s', async (_what, injectFault) => {
    serve('json', recordsOf(2_000));
    injectFault();
    const source = sourceOf('json');
    const reply = replyOf(body, { status, headers: { 'content-type': type } });
    const plain = (error: unknown) => ({ ...(error as object), cause: undefined });
    let expected: unknown;
    try {
      source.adapter.list.read(reply, UNOBSERVED);
    } catch (error) {
      expected = error;
    }
    expect(await codeOf(source.list('limit=5'))).toBe((expected as { code: string }).code);
    const parts = source.largeReplies.parts(reply, UNOBSERVED, new AbortController().signal);
    expect(plain(await parts!.catch((error: unknown) => error))).toEqual(plain(expected));
  });

  it('reports its unreadable fields as a small one does', async () => {
    serve(
      'json',
      recordsOf(2_000).map((record, at) => (at % 10 === 0 ? { ...record, price: 'x' } : record)),
    );
    const source = sourceOf('json');
    await source.list('limit=5');
    expect(source.missingValues).toEqual(Array.from({ length: 200 }, () => 'price unreadable'));
  });
});

describe('a caller that waits for a large reply', () => {
  it('waits no longer once its signal aborts or the gateway closes', async () => {
    serve('xml', recordsOf(10_000));
    const source = sourceOf('xml');
    const reply = replyOf(body, { headers: { 'content-type': 'text/xml' } });
    const caller = new AbortController();
    const gone = source.largeReplies.parts(reply, UNOBSERVED, caller.signal);
    await new Promise(setImmediate);
    caller.abort(new Error('client gone'));
    await expect(gone).rejects.toThrow('client gone');
    const stays = source.largeReplies.parts(reply, UNOBSERVED, new AbortController().signal);
    await source.largeReplies.close();
    expect(await stays).toBeUndefined();
  });

  it('gets small ones read at once, on the main thread', async () => {
    const source = sourceOf('json');
    const small = replyOf({ rows: [] });
    expect(await source.largeReplies.parts(small, UNOBSERVED, new AbortController().signal)).toBeUndefined();
  });
});
