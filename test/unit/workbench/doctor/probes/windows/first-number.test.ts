import { openFirstWindow } from '../../../../../../src/workbench/doctor/probes/windows/first-window.ts';
import {
  HIDDEN,
  checkFirstNumber,
} from '../../../../../../src/workbench/doctor/probes/windows/first-number.ts';
import {
  items,
  type Item,
  listOf,
  type Service,
  withAsk,
} from '../../../../../support/doctor/probe-alone.ts';

const AT = ['resources', 'products', 'list', 'window', 'base'];
const rows = items(12);
const ORDERED = ['order: id', 'orderIs: documented'];

/** What is said of the first number; `base` is what had to be taken to see a row at all. */
async function judge(service: Service, window?: readonly string[], list: readonly string[] = ORDERED) {
  return withAsk(service, { list, ...(window !== undefined && { window }) }, async (ask) => {
    const { opened } = await openFirstWindow(ask);
    if (opened === undefined) throw new Error('the first window cannot be read');
    return checkFirstNumber(opened, opened.base);
  });
}

const byOffset = (base: 0 | 1) => [
  "request: { path: /items, query: { from: '{offset}', n: '{limit}' } }",
  `window: { kind: offset, sizeMax: 5, base: ${base} }`,
  'total: { at: total }',
];
const byPage = (base: 0 | 1) => [
  "request: { path: /items, query: { page: '{page}', n: '{limit}' } }",
  `window: { kind: page, sizes: [5], base: ${base} }`,
  'total: { at: total }',
];

/** Rows that are counted from a number; what is below it is taken for it. */
const countedFrom =
  (base: 0 | 1, all: readonly Item[] = rows): Service =>
  ({ query }) => {
    const from = Math.max(0, Number(query.get('from')) - base);
    return { body: { total: all.length, rows: all.slice(from, from + Number(query.get('n'))) } };
  };
const pagesFrom =
  (base: 0 | 1): Service =>
  ({ query }) => {
    const [page, size] = [Math.max(0, Number(query.get('page')) - base), Number(query.get('n'))];
    return { body: { total: rows.length, rows: rows.slice(page * size, (page + 1) * size) } };
  };

describe('the number of the first row', () => {
  it('agrees with 0 if the second row has the number 1', async () => {
    expect(await judge(countedFrom(0), byOffset(0))).toMatchObject({
      verdict: 'agrees',
      claim: 'rows are counted from 0',
      observed: 'the second row has the number 1',
    });
  });

  it('differs from 0 if the first row has the number 1, and proposes 1', async () => {
    const finding = await judge(countedFrom(1), byOffset(0));
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: 'the first row has the number 1, and 0 is taken for it',
    });
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([{ at: AT, value: 1 }]);
  });

  it('agrees with 1 if the number 0 gives no row before the first', async () => {
    expect(await judge(countedFrom(1), byOffset(1))).toMatchObject({
      verdict: 'agrees',
      observed: 'the number 0 gives no row before the first',
    });
  });

  it('differs from 1 if a row stands before the number 1, and proposes 0', async () => {
    const finding = await judge(countedFrom(0), byOffset(1));
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: 'the number 0 gives 1 row before the first',
    });
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([{ at: AT, value: 0 }]);
  });

  it('is not told by one row', async () => {
    expect(await judge(countedFrom(0, items(1)), byOffset(0))).toMatchObject({
      verdict: 'could not tell',
      observed: 'there are too few rows',
    });
  });

  it('is not told by a list that hides rows', async () => {
    const hiding = byOffset(0).map((line) => line.replace('base: 0', 'shortPage: anywhere'));
    expect(await judge(countedFrom(0), hiding)).toMatchObject({
      verdict: 'could not tell',
      observed: HIDDEN,
    });
  });

  it('is not told by rows in another order with each call', async () => {
    let turn = 0;
    const turning: Service = (request) => {
      turn += 3;
      return listOf([...rows.slice(turn % 12), ...rows.slice(0, turn % 12)])(request);
    };
    expect(await judge(turning, byOffset(0), [])).toMatchObject({ verdict: 'could not tell' });
  });
});

describe('the number of the first page', () => {
  it('agrees with 0 if the number 1 gives another page', async () => {
    expect(await judge(pagesFrom(0), byPage(0))).toMatchObject({
      verdict: 'agrees',
      claim: 'pages are counted from 0',
    });
  });

  it('differs from 0 if the number 1 gives the first page again, and proposes 1', async () => {
    const finding = await judge(pagesFrom(1), byPage(0));
    expect(finding).toMatchObject({ verdict: 'differs' });
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([{ at: AT, value: 1 }]);
  });

  it('differs from 1 if a page stands before the number 1, and proposes 0', async () => {
    const finding = await judge(pagesFrom(0), byPage(1));
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: 'the number 0 gives 5 rows before the first',
    });
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([{ at: AT, value: 0 }]);
  });

  it('is not told by a parameter that does nothing', async () => {
    const same: Service = () => ({ body: { total: 12, rows: rows.slice(0, 5) } });
    expect(await judge(same, byPage(0))).toMatchObject({
      verdict: 'could not tell',
      observed: 'every number gives the same page',
    });
  });

  it('is not asked of windows that have no number', async () => {
    const all: Service = () => ({ body: { rows } });
    expect(await judge(all, ['request: { path: /items }', 'window: { kind: none }'])).toBeUndefined();
  });
});
