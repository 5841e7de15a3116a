import { pastEndClaim } from '../../../../../../src/workbench/doctor/probes/windows/past-end.ts';
import { items, listOf, probeAlone, type Service } from '../../../../../support/doctor/probe-alone.ts';

const rows = items(12);
const AT = ['resources', 'products', 'list', 'window', 'pastEnd'];
const offsetWith = (more: string) => [
  "request: { path: /items, query: { from: '{offset}', n: '{limit}' } }",
  `window: { kind: offset, sizeMax: 5, ${more} }`,
  'total: { at: total }',
];

async function pastEndOf(service: Service, window?: readonly string[]) {
  const lines = { list: ['order: id', 'orderIs: documented'], ...(window !== undefined && { window }) };
  const { findings } = await probeAlone(() => pastEndClaim, service, lines);
  return findings[0];
}

/** A list that does something else behind its last row. */
const behind =
  (reply: ReturnType<Service>): Service =>
  (request) =>
    Number(request.query.get('from')) >= rows.length ? reply : listOf(rows)(request);

describe('the probe of what comes behind the last row', () => {
  it('agrees if nothing comes, near and far', async () => {
    expect(await pastEndOf(listOf(rows))).toMatchObject({
      verdict: 'agrees',
      claim: 'there is nothing behind the last row',
    });
  });

  it('differs if the last rows come again right behind the end, and proposes pastEnd: other', async () => {
    const finding = await pastEndOf(behind({ body: { total: 12, rows: rows.slice(7) } }));
    expect(finding).toMatchObject({ verdict: 'differs', observed: 'rows that came before' });
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([{ at: AT, value: 'other' }]);
  });

  it('differs if nothing comes right behind the end, but rows come far behind it', async () => {
    const wrapping: Service = (request) =>
      Number(request.query.get('from')) > 1_000
        ? { body: { total: 12, rows: rows.slice(0, 5) } }
        : listOf(rows)(request);
    const finding = await pastEndOf(wrapping);
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining('rows that stand elsewhere'),
    });
  });

  it('differs if a window behind the end is refused, and names the status for a rule', async () => {
    const finding = await pastEndOf(behind({ status: 416, body: {} }));
    expect(finding?.verdict).toBe('differs');
    expect(finding?.advice?.tries?.[0]?.text).toContain('status: 416, is: past_end');
  });

  it('agrees if rows come, and the file says that anything may', async () => {
    const finding = await pastEndOf(
      behind({ body: { total: 12, rows: rows.slice(7) } }),
      offsetWith('pastEnd: other'),
    );
    expect(finding).toMatchObject({ verdict: 'agrees', claim: 'anything may come behind the last row' });
  });

  it('asks for no row behind the depth that the file says', async () => {
    const { findings, sent } = await probeAlone(() => pastEndClaim, listOf(rows), {
      window: offsetWith('depthMax: 10'),
    });
    expect(findings[0]).toMatchObject({ verdict: 'could not tell' });
    expect(sent.map(({ query }) => Number(query.get('from'))).filter((row) => row > 10)).toEqual([]);
  });
});

describe('the probe of how far a list can be reached', () => {
  it('differs if windows are refused before the total is reached, and knows no change that brings rows back', async () => {
    const shallow: Service = (request) =>
      Number(request.query.get('from')) >= 10 ? { status: 400, body: {} } : listOf(rows)(request);
    const finding = await pastEndOf(shallow);
    expect(finding).toMatchObject({
      probe: 'reach',
      verdict: 'differs',
      observed: expect.stringMatching(/^behind 10 rows: /),
    });
    expect(finding?.advice?.tries).toBeUndefined();
  });
});
