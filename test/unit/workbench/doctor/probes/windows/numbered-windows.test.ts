import { numberedWindowClaims } from '../../../../../../src/workbench/doctor/probes/windows/numbered-windows.ts';
import {
  items,
  type Item,
  listOf,
  probeAlone,
  type Service,
} from '../../../../../support/doctor/probe-alone.ts';

const ORDERED = ['order: id', 'orderIs: documented'];
const PAGES = [
  "request: { path: /items, query: { page: '{page}', n: '{limit}' } }",
  'window: { kind: page, base: 1, sizes: [2, 3, 6] }',
];

/** The verdict of one of the claims about windows with a number. */
async function verdictOf(name: string, service: Service, lines = {}) {
  const { findings } = await probeAlone(
    (ask) => numberedWindowClaims(ask).filter((claim) => claim.name === name),
    service,
    { list: ORDERED, ...lines },
  );
  const [finding] = findings;
  if (finding === undefined) throw new Error(`${name} found nothing`);
  return finding;
}

describe('the probe of the second window', () => {
  it('agrees if the window behind the first has only new rows', async () => {
    expect(await verdictOf('second window', listOf(items(12)))).toMatchObject({
      verdict: 'agrees',
      observed: '5 rows, all of them new',
    });
  });

  it('cannot tell anything if all rows stand in the first window', async () => {
    expect(await verdictOf('second window', listOf(items(4)))).toMatchObject({
      verdict: 'could not tell',
      observed: 'all rows stand in the first window',
    });
  });

  it('differs if the second window repeats the first, because nobody reads the parameter', async () => {
    const ignored = listOf(items(12), {
      changes: (body, _request, all) => ({ ...body, rows: all.slice(0, 5) }),
    });
    expect(await verdictOf('second window', ignored)).toMatchObject({
      verdict: 'differs',
      observed: 'the rows of the first window again',
      advice: { otherwise: 'the name of the parameter that chooses the window' },
    });
  });

  it('differs if windows overlap, because they are counted in another unit', async () => {
    const overlapping = listOf(items(12), {
      changes: (body, { query }, all) => {
        const from = Math.max(0, Number(query.get('from')) - 2);
        return { ...body, rows: all.slice(from, from + Number(query.get('n'))) };
      },
    });
    expect(await verdictOf('second window', overlapping)).toMatchObject({
      verdict: 'differs',
      observed: '2 rows of it came before: the windows are counted otherwise',
    });
  });

  it('differs if the second window is an error', async () => {
    const failing: Service = (request) =>
      request.query.get('from') === '5' ? { status: 500, body: {} } : listOf(items(12))(request);
    expect(await verdictOf('second window', failing)).toMatchObject({ verdict: 'differs' });
  });
});

/** Pages of the sizes that a service takes; `pageOf` says what it does with a page. */
const paged =
  (
    rows: readonly Item[],
    pageOf = (page: number, size: number) => rows.slice((page - 1) * size, page * size),
  ): Service =>
  ({ query }) => ({ body: { rows: pageOf(Number(query.get('page')), Number(query.get('n'))) } });

describe('the probe of a smaller size', () => {
  it('agrees if the second page of that size begins behind its first', async () => {
    expect(await verdictOf('size 2', paged(items(12)), { window: PAGES })).toMatchObject({
      verdict: 'agrees',
      observed: 'the second page holds the rows behind the first',
    });
  });

  it('differs and takes the size out if the service gives another number of rows', async () => {
    const rows = items(12);
    const rounding = paged(rows, (page, size) => {
      const real = size === 2 ? 3 : size;
      return rows.slice((page - 1) * real, page * real);
    });
    const finding = await verdictOf('size 2', rounding, { window: PAGES });
    expect(finding).toMatchObject({ verdict: 'differs', observed: '3 rows where 2 were asked for' });
    expect(finding.advice?.tries?.[0]).toEqual({
      sets: [{ at: ['resources', 'products', 'list', 'window', 'sizes'], value: [3, 6] }],
      text: 'take 2 out of window.sizes',
    });
  });

  it('differs if pages of that size hold other rows, although a file promises an order', async () => {
    const rows = items(12);
    const shifted = paged(rows, (page, size) => {
      const from = (page - 1) * size + (size === 3 && page > 1 ? 1 : 0);
      return rows.slice(from, from + size);
    });
    expect(await verdictOf('size 3', shifted, { window: PAGES })).toMatchObject({
      verdict: 'differs',
      observed: 'other rows than stand there in pages of another size',
    });
  });

  it('cannot tell anything from a list that has no second page of that size', async () => {
    expect(await verdictOf('size 3', paged(items(4)), { window: PAGES })).toMatchObject({
      verdict: 'could not tell',
      observed: 'there are too few rows for a second page',
    });
  });
});

describe('the probe of a larger size than declared', () => {
  it('agrees if the service gives no more rows than the file says', async () => {
    expect(await verdictOf('over the size', listOf(items(12)))).toMatchObject({
      verdict: 'agrees',
      observed: '6 asked for, 5 given',
    });
  });

  it('notes that larger windows would make scans cheaper', async () => {
    expect(await verdictOf('over the size', listOf(items(12), { sizeMax: 100 }))).toMatchObject({
      verdict: 'noted',
      observed: '6 asked for, 6 given',
      advice: { otherwise: 'a larger window.sizeMax makes scans cheaper' },
    });
  });

  it('agrees if the service refuses more rows', async () => {
    const strict: Service = (request) =>
      Number(request.query.get('n')) > 5 ? { status: 400, body: {} } : listOf(items(12))(request);
    expect(await verdictOf('over the size', strict)).toMatchObject({
      verdict: 'agrees',
      observed: expect.stringContaining('6 rows are refused'),
    });
  });

  it('cannot tell anything from fewer rows than one window holds', async () => {
    expect(await verdictOf('over the size', listOf(items(3)))).toMatchObject({ verdict: 'could not tell' });
  });

  it('is not asked beyond the depth that the file says', async () => {
    const lines = {
      window: [
        "request: { path: /items, query: { from: '{offset}', n: '{limit}' } }",
        'window: { kind: offset, sizeMax: 5, depthMax: 5 }',
        'total: { at: total }',
      ],
    };
    expect(await verdictOf('over the size', listOf(items(12)), lines)).toMatchObject({
      verdict: 'could not tell',
      observed: 'it lies beyond window.depthMax',
    });
  });
});
