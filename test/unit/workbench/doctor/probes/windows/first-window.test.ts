import { openFirstWindow } from '../../../../../../src/workbench/doctor/probes/windows/first-window.ts';
import {
  type FileLines,
  items,
  listOf,
  type Service,
  withAsk,
} from '../../../../../support/doctor/probe-alone.ts';

const rows = items(12);

/** What is found at the first window, whether it could be opened, and the size that is then taken. */
async function open(service: Service, lines: FileLines = {}) {
  return withAsk(service, lines, async (ask) => {
    const { findings, opened } = await openFirstWindow(ask);
    return { findings, base: opened?.base, window: opened?.ask.list.window, isOpen: opened !== undefined };
  });
}

const windowLines = (window: string) => [
  "request: { path: /items, query: { from: '{offset}', n: '{limit}' } }",
  `window: { ${window} }`,
  'total: { at: total }',
];

describe('the first call', () => {
  it('agrees with a list that can be read', async () => {
    const { findings, isOpen } = await open(listOf(rows));
    expect(isOpen).toBe(true);
    expect(findings.map(({ probe, verdict }) => [probe, verdict])).toEqual([
      ['first call', 'agrees'],
      ['size', 'agrees'],
    ]);
  });

  it.each<[string, ReturnType<Service>, readonly PropertyKey[], FileLines]>([
    ['a refused credential', { status: 401, body: {} }, ['auth'], {}],
    ['a web page', { headers: { 'content-type': 'text/html' }, body: '<p>' }, ['decode'], {}],
    ['a body that is no JSON', { body: '{"rows":' }, ['decode'], {}],
    [
      'no rows where the file says',
      { body: { total: 1, items: [] } },
      ['resources', 'products', 'list', 'items'],
      {},
    ],
    [
      'a row without an id',
      { body: { total: 1, rows: [{ title: 'x' }] } },
      ['resources', 'products', 'list', 'map', 'id'],
      {},
    ],
    ['a status that no rule names', { status: 418, body: {} }, ['outcomes'], {}],
  ])('with %s differs at the place in the file to correct', async (_what, reply, at, lines) => {
    const { findings, isOpen } = await open(() => reply, lines);
    expect(isOpen).toBe(false);
    expect(findings).toMatchObject([{ probe: 'first call', verdict: 'differs', at }]);
  });

  it('takes the other base if no row comes with the declared one', async () => {
    const pages = [
      "request: { path: /items, query: { page: '{page}', n: '{limit}' } }",
      'window: { kind: page, sizes: [5], base: 1 }',
    ];
    const onlyFirst: Service = ({ query }) => ({
      body: { rows: query.get('page') === '0' ? rows.slice(0, 3) : [] },
    });
    expect(await open(onlyFirst, { window: pages })).toMatchObject({ isOpen: true, base: 0 });
  });
});

describe('the size of a window', () => {
  const sizeOf = async (service: Service, lines: FileLines = {}) => {
    const { findings, window } = await open(service, lines);
    return { finding: findings.find(({ probe }) => probe === 'size'), window };
  };

  it('agrees if as many rows come as the file says', async () => {
    const { finding } = await sizeOf(listOf(rows));
    expect(finding).toMatchObject({ verdict: 'agrees', observed: '5 rows asked for and given' });
  });

  it('differs if fewer rows come and more stand behind them, and is read as it is', async () => {
    const { finding, window } = await sizeOf(listOf(rows, { sizeMax: 3 }));
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: '3 rows where 5 were asked for, and more behind them',
    });
    expect(window).toMatchObject({ sizeMax: 3 });
  });

  it('differs if more rows come than were asked for', async () => {
    const generous = listOf(rows, { changes: (body) => ({ ...body, rows: rows.slice(0, 8) }) });
    const { finding } = await sizeOf(generous);
    expect(finding).toMatchObject({ verdict: 'differs', observed: '8 rows where 5 were asked for' });
  });

  it('differs if the declared size is refused and a smaller one is taken', async () => {
    const strict: Service = (request) =>
      Number(request.query.get('n')) > 10
        ? { status: 400, body: {} }
        : listOf(rows, { sizeMax: 10 })(request);
    const { finding, window } = await sizeOf(strict, {
      window: windowLines('kind: offset, sizeMax: 50'),
      top: ['outcomes: [{ status: 200, is: ok }, { status: 4xx, is: client_bug }]'],
    });
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: '50 rows are refused, and 10 given where 10 are asked for',
    });
    expect(window).toMatchObject({ sizeMax: 10 });
  });

  it.each([
    ['of an empty list', items(0), 'kind: offset, sizeMax: 5', 'there are no rows'],
    [
      'of a list that is shorter',
      items(3),
      'kind: offset, sizeMax: 5',
      '3 rows came, and no new ones stand right behind them',
    ],
    [
      'of windows that may be short',
      items(3),
      'kind: offset, sizeMax: 5, shortPage: anywhere',
      '3 given, and windows may be short anywhere',
    ],
    [
      'at the depth of the file',
      items(3),
      'kind: offset, sizeMax: 5, depthMax: 5',
      '3 given, and what is behind them cannot be reached',
    ],
  ])('%s cannot be told', async (_what, all, window, observed) => {
    const { finding } = await sizeOf(listOf(all), { window: windowLines(window) });
    expect(finding).toMatchObject({ verdict: 'could not tell', observed });
  });
});
