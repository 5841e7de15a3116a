import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import {
  type ScriptedUpstream,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
version: v1
title: Shop
pages: { default: 50, max: 50 }
resources:
  orders:
    singular: order
    id: { prefix: ord }
    fields: { at: { kind: datetime }, secs: { kind: datetime }, ms: { kind: datetime } }
    filters:
      at: { field: at, is: equal }
      at_to: { field: at, is: at_most }
      at_from: { field: at, is: at_least }
      at_before: { field: at, is: before }
      at_after: { field: at, is: after }
      secs: { field: secs, is: equal }
      secs_to: { field: secs, is: at_most }
      secs_from: { field: secs, is: at_least }
      ms: { field: ms, is: equal }
      ms_to: { field: ms, is: at_most }
      ms_from: { field: ms, is: at_least }
`;

const START = Date.parse('2025-01-01T12:00:00Z');
/** Microseconds after the start at which rows stand, in no order. */
const MICROS = [500, 0, 999_999, 1_000, 1_000_000, 1_000_500, 250_000, -1, -500, -1_000_000, 2_000_000, 1];

/** A row with its instant in microseconds since 1970, in each form that services give it. */
const ROWS = MICROS.map((after, index) => {
  const micros = BigInt(START) * 1_000n + BigInt(after);
  const digits = String(micros % 1_000_000n).padStart(6, '0');
  const second = new Date(Number(micros / 1_000_000n) * 1_000).toISOString().slice(0, 19);
  return {
    micros,
    held: {
      id: index + 1,
      at: `${second}.${digits}Z`,
      secs: `${micros / 1_000_000n}.${digits}`,
      ms: `${micros / 1_000n}.${digits.slice(3)}`,
    },
  };
});

/** The microseconds of a value of a parameter. */
function microsOf(column: string, text: string): bigint {
  if (column === 'at') return BigInt(Date.parse(text)) * 1_000n;
  const [whole = '', fraction = ''] = text.split('.');
  const digits = column === 'secs' ? 6 : 3;
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

/** A service that compares in microseconds. */
function reply({ query }: UpstreamRequest) {
  const found = ROWS.filter(({ micros }) =>
    [...query].every(([name, value]) => {
      const [column = '', op] = name.split('.');
      if (op === undefined) return true;
      const wanted = microsOf(column, value);
      return op === 'eq' ? micros === wanted : op === 'ge' ? micros >= wanted : micros <= wanted;
    }),
  );
  const from = Number(query.get('from'));
  const rows = found.slice(from, from + Number(query.get('n'))).map(({ held }) => held);
  return { body: { total: found.length, rows } };
}

const sent = (name: string, more: string) => `{ query: { ${name}: '{value}' }, ${more} }`;
const filters = (more: { eq?: string; ge: string; le: string }) => {
  const of = (column: string) =>
    Object.entries(more).map(([op, how]) => `${op}: ${sent(`${column}.${op}`, how)}`);
  return ['at', 'secs', 'ms'].map((column) => `        ${column}: { ${of(column).join(', ')} }\n`).join('');
};

const source = (baseUrl: string, declared: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    list:
      request: { path: /orders, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: total }
      items: rows
      order: id
      orderIs: documented
      filters:
${declared}      map:
        id: id
        at: { from: at, as: [iso8601] }
        secs: { from: secs, as: [epochSeconds] }
        ms: { from: ms, as: [epochMilliseconds] }
`;

let upstream: ScriptedUpstream;
const start = (declared: string) =>
  startGateway({
    contract: CONTRACT,
    sources: { 'shop.yaml': source(upstream.origin, declared).replace('filters:\n      map', 'map') },
    config: 'resources: { orders: { source: shop, public: true, cache: { fresh: 0s, notFound: 0s } } }\n',
  });
beforeAll(async () => {
  upstream = await startUpstream(serving(reply));
});
afterAll(() => upstream.close());

describe('a source whose times are finer than those of the contract', () => {
  let pushed: SourceGateway;
  let scanned: SourceGateway;
  beforeAll(async () => {
    pushed = await start(filters({ ge: 'exactness: exact', le: 'exactness: superset' }));
    scanned = await start('');
  });
  afterAll(async () => {
    await pushed.close();
    await scanned.close();
  });
  const bodyOf = async (gateway: SourceGateway, query: string) =>
    (await fetch(`${gateway.url}/v1/orders?${query}`)).text();

  const instants = ['11:59:59.999', '12:00:00', '12:00:00.250', '12:00:00.999', '12:00:01', '12:00:02'];
  const parameters = 'at at_to at_from at_before at_after secs secs_to secs_from ms ms_to ms_from'.split(' ');
  it.each(parameters.flatMap((name) => instants.map((time) => `${name}=2025-01-01T${time}Z`)))(
    'is asked for all rows that answers show at the asked time: %s',
    async (query) => {
      expect(await bodyOf(pushed, query)).toBe(await bodyOf(scanned, query));
      expect(await bodyOf(pushed, `${query}&limit=1&page=2`)).toBe(
        await bodyOf(scanned, `${query}&limit=1&page=2`),
      );
    },
  );

  it('finds a row a half millisecond behind the bound', async () => {
    expect(await bodyOf(pushed, 'at_to=2025-01-01T12:00:00Z')).toContain(
      '{"id":"ord_1","at":"2025-01-01T12:00:00Z"',
    );
  });

  it('is asked for whole seconds, because it may refuse a fraction', async () => {
    upstream.become(serving(reply));
    await bodyOf(pushed, 'at_to=2025-01-01T12:00:00.250Z&secs_to=2025-01-01T12:00:00Z');
    const asked = new Set(
      upstream.requests.map(({ query }) => `${query.get('at.le')} ${query.get('secs.le')}`),
    );
    expect([...asked]).toContain('2025-01-01T12:00:01Z 1735732801');
  });

  it('is not asked for a bound behind the last second of all', async () => {
    const query = 'at_to=9999-12-31T23:59:59.999Z';
    expect(await bodyOf(pushed, query)).toBe(await bodyOf(scanned, query));
  });
});

describe('a source file that filters by times', () => {
  const problemOf = (declared: string) =>
    start(declared).then(
      async (gateway) => {
        await gateway.close();
        return 'served';
      },
      (error: unknown) => String(error),
    );
  const exact = 'exactness: exact';
  const superset = 'exactness: superset';

  it.each([
    ['le would miss rows with finer times', { ge: exact, le: exact }],
    ['eq would miss rows with finer times', { eq: exact, ge: exact, le: superset }],
    ['eq would miss rows with finer times', { eq: superset, ge: exact, le: superset }],
  ])('is refused if %s', async (problem, declared) => {
    expect(await problemOf(filters(declared))).toContain(problem);
  });

  it('is served as exact if the source has whole milliseconds', async () => {
    const whole = `${exact}, wholeMs: true`;
    expect(await problemOf(filters({ eq: whole, ge: exact, le: whole }))).toBe('served');
  });
});
