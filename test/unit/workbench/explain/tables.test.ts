import type { ActionValue } from '../../../../src/admin/api/action-table.ts';
import { keyTable } from '../../../../src/workbench/explain/report/key-report.ts';
import { objectBlocks, objectTable } from '../../../../src/workbench/explain/report/object-tables.ts';
import { renderText } from '../../../../src/workbench/explain/report/report.ts';
import { requestsReport } from '../../../../src/workbench/explain/report/requests-report.ts';

type Request = ActionValue<'requests'>['requests'][number];
type Incident = ActionValue<'incidents'>['incidents'][number];

/** Lines that are wider than a terminal of 80 columns. */
const tooWide = (text: string) => text.split('\n').filter((line) => line.length > 80);
const today = new Date().toISOString().slice(0, 10);

const request = (number: number, more: Partial<Request>): Request => ({
  ...{
    at: `${today}T12:00:${String(50 - number)}.123Z`,
    requestId: `req_${'x'.repeat(20)}${String(number)}`,
  },
  ...{ operation: 'products.list', method: 'GET', status: 502, code: 'upstream_invalid_response' },
  ...{ durationMs: 1_234.5, caller: 'abcdefghijkl', source: 'catalog', upstreamCalls: 2, upstreamMs: 1_000 },
  ...{ slow: false, process: 'host-1:1', ...more },
});

describe('the requests that failed', () => {
  const listed = [
    request(10, {}),
    request(11, { code: 'not_found', status: 404, source: undefined }),
    request(12, { caller: 'another' }),
    request(13, { code: undefined, status: 200, slow: true, source: undefined }),
    request(14, {}),
  ];
  const textOf = (
    requests: readonly Request[],
    limit: number,
    ...of: readonly [string, Incident] | readonly []
  ) => {
    const [completeSince, incident] = of;
    const list = {
      scope: 'fleet',
      since: '2026-01-01T00:00:00.000Z',
      slowMs: 1_000,
      notes: [],
      requests,
    } as const;
    const { blocks } = requestsReport({ ...list, completeSince }, limit, incident && [incident]);
    return renderText(blocks);
  };
  const text = textOf(listed, 100);

  it('are grouped by cause with the source, since when, and how many callers', () => {
    expect(text).toMatch(/^COUNT +CAUSE +SOURCE +SINCE +LAST +CALLERS$/m);
    expect(text).toMatch(/^3 +upstream_invalid_response +catalog +12:00:36 +12:00:40 +2$/m);
    expect(text).toMatch(/^1 +not_found +- +12:00:39 +12:00:39 +1$/m);
    expect(text).toMatch(/^1 +slow +- /m);
    expect(text).toMatch(
      /^upstream_invalid_response catalog\n {2}TIME +REQUEST +OPERATION +HTTP +MS +CALLER$/m,
    );
  });

  it('fit a terminal of 80 columns', () => expect(tooWide(text)).toEqual([]));

  it('are called the newest where older ones may be missing, and no row has a false since', () => {
    const cut = textOf(listed, 5);
    expect(cut).toContain(`the newest 5 that failed, or took longer than 1000 ms\nsince ${today}T12:00:36`);
    expect(tooWide(cut)).toEqual([]);
    expect(cut).toContain('--status failed');
    expect(cut).toMatch(/^COUNT +CAUSE +SOURCE +OLDEST HERE +LAST +CALLERS$/m);
    expect(text).toContain('5 that failed, or took longer than 1000 ms\nsince 2026-01-01T00:00:00.000Z');
    expect(text).not.toContain('newest');
  });

  it('say since when all are kept if older ones are gone, with the exact counts of their incidents', () => {
    const incident = {
      ...{ id: 'source-catalog-1', text: 'source catalog: answers 500 since 03:09:00 UTC' },
      ...{ since: `${today}T11:59:00.000Z`, last: `${today}T12:10:00.000Z` },
      ...{ answers: { failed: 1_234, total: 5_678, share: 0.2 } },
      operations: [{ name: 'products.list', failed: 1_234 }],
    } as unknown as Incident;
    const told = textOf(listed, 100, `${today}T12:00:30.000Z`, incident);
    expect(told).toContain(`\nall are kept since ${today}T12:00:30.000Z; older ones may be gone\n`);
    expect(told).toContain('OLDEST HERE');
    expect(told).toMatch(
      /^Exact counts, of all callers\n {2}ANSWERS +OF +TEXT +INCIDENT\n {2}1234 +5678 +source catalog: .* source-catalog-1$/m,
    );
    const another = { ...incident, operations: [{ name: 'users.list', failed: 3 }] };
    expect(textOf(listed, 100, `${today}T12:00:30.000Z`, another)).not.toContain('Exact');
    expect(text).not.toContain('kept since');
  });

  it('count no caller where none is known', () =>
    expect(textOf([request(10, { caller: undefined })], 100)).toMatch(/12:00:40 +12:00:40 +-$/m));
});

describe('keys', () => {
  const key = (more: object) => ({
    ...{ id: 'abcdefghijkl', label: 'the sales department', state: 'valid' as const, tier: 'standard' },
    ...{ permissions: ['users:read', 'products:read'], secrets: 1, createdAt: '2026-01-31T09:00:00.000Z' },
    ...{ expiresAt: '2026-03-31T09:00:00.000Z', lastUsedAt: '2026-02-28T09:05:00.000Z', ...more },
  });
  const now = Date.parse('2026-02-01T00:00:00.000Z');

  it('fit a terminal of 80 columns, with whose they are and what they may do', () => {
    const text = renderText([keyTable([key({ operations: ['users.list'] })], now)]);
    expect(tooWide(text)).toEqual([]);
    expect(text).toBe(
      [
        'ID            STATE  ENDS        LAST USED         TIER',
        'abcdefghijkl  valid  2026-03-31  2026-02-28 09:05  standard',
        '  the sales department: users:read,products:read; only users.list',
        '',
      ].join('\n'),
    );
  });

  it('say that they end soon', () => {
    const soon = Date.parse('2026-03-30T00:00:00.000Z');
    expect(renderText([keyTable([key({})], soon)])).toContain('  ends soon  2026-03-31');
  });
});

describe('records of any kind', () => {
  it('are a table with a column for each plain field, also one that only some have', () => {
    const rows = [
      { id: 'a', lastAt: `${today}T09:05:01.000Z`, windows: [{ limit: 3 }], permissions: ['x', 'y'] },
      { id: 'b', lastAt: '2020-01-31T09:05:01.000Z', errorShare: 0.25 },
      { id: 'c', errorShare: 0.16677115987460814 },
      { id: 'd', errorShare: 12.345678 },
    ];
    expect(renderText([objectTable(rows)])).toBe(
      'ID  LAST AT      PERMISSIONS  ERROR SHARE\na   09:05:01     x,y          -\nb   01-31 09:05  -            0.25\nc   -            -            0.167\nd   -            -            12.346\n',
    );
    expect(objectTable([])).toBe('none');
  });

  it('have no column for lists of records, though one of these is empty', () =>
    expect(
      renderText([
        objectTable([
          { id: 'a', windows: [{ limit: 3 }] },
          { id: 'b', windows: [] },
        ]),
      ]),
    ).toBe('ID\na\nb\n'));

  it('are told one by one with their lists as tables', () => {
    expect(
      renderText(objectBlocks({ id: 'a', hold: { by: 'ana' }, rules: [{ id: 1 }], gone: undefined })),
    ).toBe('ID    a\nHOLD  {"by":"ana"}\n\nRULES\n  ID\n  1\n');
  });

  it('are told with the counts of each name as a table', () => {
    const counts = { ok: { total: 3 }, timeout: { total: 1 } };
    expect(renderText(objectBlocks({ id: 'a', counts }))).toBe(
      'ID  a\n\nCOUNTS\n  NAME     TOTAL\n  ok       3\n  timeout  1\n',
    );
  });

  it('cannot forge lines by a text', () => {
    expect(renderText([objectTable([{ label: 'a\u001b[2K\nb' }])]).split('\n')).toHaveLength(3);
  });
});
