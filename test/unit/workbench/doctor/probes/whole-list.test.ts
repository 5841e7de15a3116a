import { wholeListClaim } from '../../../../../src/workbench/doctor/probes/whole-list.ts';
import { items, listOf, probeAlone, type Service } from '../../../../support/doctor/probe-alone.ts';

const rows = items(6);
const AT_ONCE = ['request: { path: /items }', 'window: { kind: none }'];
const AT_ONCE_WITH = ["request: { path: /items, query: { n: '6' } }", 'window: { kind: none }'];
const CURSOR = [
  "request: { path: /items, query: { after: '{cursor}', n: '{limit}' } }",
  'window: { kind: cursor, sizeMax: 6, next: next }',
];
const probe = async (service: Service, window: readonly string[]) =>
  (await probeAlone(() => wholeListClaim, service, { window })).findings[0];

describe('the probe of a list that may be cut off', () => {
  it.each([
    ['next', 'https://shop.example/items?page=2'],
    ['has_more', true],
    ['nextPageToken', 'abc'],
    ['truncated', true],
    ['@odata.nextLink', '/items?$skip=6'],
    ['continue', { from: '6' }],
  ])('differs if the last reply says by %s that there is more', async (key, value) => {
    expect(await probe(() => ({ body: { rows, [key]: value } }), AT_ONCE)).toMatchObject({
      verdict: 'differs',
      observed: expect.stringMatching(
        /^6 rows came, and of the last reply, its key .* says that there is more$/,
      ),
    });
  });

  it.each([
    ['next', null],
    ['has_more', false],
    ['has_more', 'false'],
    ['nextPageToken', ''],
    ['continue', {}],
    ['more', 0],
  ])('says nothing if %s is %j', async (key, value) => {
    expect(await probe(() => ({ body: { rows, [key]: value } }), AT_ONCE)).toBeUndefined();
  });

  it('looks for such keys below others', async () => {
    const nested: Service = () => ({ body: { rows, meta: { paging: { has_more: true } } } });
    expect(await probe(nested, AT_ONCE)).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining('its key meta.paging.has_more'),
    });
  });

  it('does not look for them in the rows', async () => {
    const inRows: Service = () => ({ body: { rows: rows.map((row) => ({ ...row, next: 'x' })) } });
    expect(await probe(inRows, AT_ONCE)).toBeUndefined();
  });

  it('differs if a header Link names a next window', async () => {
    const linked: Service = () => ({ body: { rows }, headers: { link: '</items?page=2>; rel="next"' } });
    expect(await probe(linked, AT_ONCE)).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining('its header Link names a next window'),
    });
  });

  it('differs if as many rows came as a constant asks for, and proposes a larger one that brings more', async () => {
    const capped: Service = ({ query }) => ({ body: { rows: items(20).slice(0, Number(query.get('n'))) } });
    const finding = await probe(capped, AT_ONCE_WITH);
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: '6 rows, just as many as the constant n asks for; with 12, 12 rows come',
    });
    expect(finding?.advice?.tries?.[0]?.sets[0]?.value).toBe('12');
  });

  it('proposes no constant that does not bring as many rows as the total says', async () => {
    const capped: Service = ({ query }) => ({
      body: { count: 20, rows: items(20).slice(0, Math.min(8, Number(query.get('n')))) },
    });
    const finding = await probe(capped, [...AT_ONCE_WITH, 'total: { at: count }']);
    expect(finding?.observed).toContain('with 12, 8 rows come');
    expect(finding?.advice?.tries).toBeUndefined();
  });

  it('differs without a change if a larger constant brings no more', async () => {
    const finding = await probe(() => ({ body: { rows } }), AT_ONCE_WITH);
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining('and no more where 12 are asked for'),
    });
    expect(finding?.advice?.tries).toBeUndefined();
  });

  it('differs if a full window names no next one, and a smaller one does not either', async () => {
    const silent: Service = ({ query }) => ({ body: { rows: items(20).slice(0, Number(query.get('n'))) } });
    expect(await probe(silent, CURSOR)).toMatchObject({
      verdict: 'differs',
      claim: 'the last window names no next one',
    });
  });

  it('says nothing if a smaller window names the next one', async () => {
    const right: Service = ({ query }) => {
      const size = Number(query.get('n'));
      return { body: { rows: rows.slice(0, size), ...(size < 6 && { next: String(size) }) } };
    };
    expect(await probe(right, CURSOR)).toBeUndefined();
  });

  it('is not asked of windows that have a number: they are read past the end anyway', async () => {
    expect((await probeAlone(() => wholeListClaim, listOf(rows))).findings).toEqual([]);
  });
});
