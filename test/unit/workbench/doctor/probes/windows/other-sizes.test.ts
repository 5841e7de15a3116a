import { otherSizesClaims } from '../../../../../../src/workbench/doctor/probes/windows/other-sizes.ts';
import { items, listOf, probeAlone, type Service } from '../../../../../support/doctor/probe-alone.ts';

const ORDERED = ['order: id', 'orderIs: documented'];
const rows = items(20);

async function sizesOf(service: Service, lines = {}, failed: readonly string[] = []) {
  return probeAlone(otherSizesClaims, service, { list: ORDERED, ...lines }, { failed });
}

/** Replies to windows of one size are others. */
const atSize =
  (size: number, reply: ReturnType<Service>): Service =>
  (request) =>
    Number(request.query.get('n')) === size ? reply : listOf(rows)(request);

describe('the probe of other sizes of an offset', () => {
  it('agrees if small windows in the middle hold the rows that stand there', async () => {
    const { findings, sent } = await sizesOf(listOf(rows));
    expect(findings).toMatchObject([{ verdict: 'agrees', observed: '3 other sizes tried, the same rows' }]);
    expect(sent.map(({ query }) => [query.get('from'), query.get('n')])).toEqual([
      ['10', '1'],
      ['10', '2'],
      ['10', '3'],
    ]);
  });

  it('differs if a small window is refused', async () => {
    const { findings } = await sizesOf(atSize(1, { status: 400, body: {} }));
    expect(findings).toMatchObject([
      { verdict: 'differs', observed: expect.stringMatching(/^with 1 asked for: /) },
    ]);
  });

  it('differs if windows of an odd size hold other rows, and proposes order: unknown', async () => {
    const { findings } = await sizesOf(atSize(3, { body: { total: 20, rows: rows.slice(0, 3) } }));
    expect(findings).toMatchObject([
      { verdict: 'differs', observed: 'with 3 asked for, other rows come than stand there' },
    ]);
    expect(findings[0]?.advice?.tries?.[0]?.sets[0]).toEqual({
      at: ['resources', 'products', 'list', 'order'],
      value: 'unknown',
    });
  });

  it('cannot tell anything from one row', async () => {
    const { findings } = await sizesOf(listOf(items(0)));
    expect(findings).toMatchObject([{ verdict: 'could not tell', observed: 'there are too few rows' }]);
  });

  it.each(['order', 'base', 'size', 'second window'])(
    'says nothing if it is known that %s is wrong: the same mistake is told once',
    async (failed) => {
      expect(await sizesOf(listOf(rows), {}, [failed])).toEqual({ findings: [], sent: [] });
    },
  );

  it('says nothing about rows in no order, if the file promises none', async () => {
    const shuffled = [...rows.slice(10), ...rows.slice(0, 10)];
    expect(await sizesOf(listOf(shuffled), { list: [] })).toEqual({ findings: [], sent: [] });
  });
});

const CURSOR = [
  "request: { path: /items, query: { after: '{cursor}', n: '{limit}' } }",
  'window: { kind: cursor, sizeMax: 12, next: next }',
];

/** A chain of windows; `cut` is the size of windows that name no next one. */
const chain =
  (all = rows, cut?: number): Service =>
  ({ query }) => {
    const [from, size] = [Number(query.get('after') ?? 0), Number(query.get('n'))];
    const isLast = from + size >= all.length || size === cut;
    return { body: { rows: all.slice(from, from + size), ...(!isLast && { next: String(from + size) }) } };
  };

describe('the probe of other sizes of a chain of windows', () => {
  it('agrees if a walk in smaller windows brings the same rows', async () => {
    const { findings } = await sizesOf(chain(), { window: CURSOR, list: [] });
    expect(findings).toMatchObject([{ verdict: 'agrees', observed: '20 rows in windows of 10, the same' }]);
  });

  it('differs if a walk in smaller windows ends early', async () => {
    const { findings } = await sizesOf(chain(rows, 10), { window: CURSOR, list: [] });
    expect(findings).toMatchObject([
      { verdict: 'differs', observed: 'in windows of 10 and not of 12: 10 rows did not come' },
    ]);
  });

  it('differs if a walk in smaller windows brings rows that were hidden before', async () => {
    const hiding: Service = (request) =>
      (request.query.get('n') === '12' ? chain(rows.slice(0, 15)) : chain())(request);
    const { findings } = await sizesOf(hiding, { window: CURSOR, list: [] });
    expect(findings).toMatchObject([
      { verdict: 'differs', observed: expect.stringContaining('5 rows came that did not come before') },
    ]);
  });

  it('says nothing if the request sends no size, because the windows would be the same', async () => {
    const window = ["request: { path: /items, query: { after: '{cursor}' } }", ...CURSOR.slice(1)];
    const inTwelves: Service = ({ query }) => {
      query.set('n', '12');
      return chain()({ query } as Parameters<Service>[0]);
    };
    expect(await sizesOf(inTwelves, { window, list: [] })).toEqual({ findings: [], sent: [] });
  });

  it('is not asked of a list that comes at once', async () => {
    const lines = { window: ['request: { path: /items }', 'window: { kind: none }'], list: [] };
    expect(await sizesOf(() => ({ body: { rows } }), lines)).toEqual({ findings: [], sent: [] });
  });
});
