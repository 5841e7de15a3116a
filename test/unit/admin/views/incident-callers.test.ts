import type { FleetIncident } from '../../../../src/telemetry/incidents/fleet-incidents.ts';
import { NOW, viewOf } from '../../../support/admin/view-of-incident.ts';

describe('the filter that lists the requests of an incident', () => {
  const filterOf = (incident: Partial<FleetIncident>) => viewOf({ since: NOW, ...incident }).requestFilter;
  const since = '2026-01-31T03:09:59.000Z';

  it('begins a second before it, and names its source', () =>
    expect(filterOf({})).toEqual({ since, source: 'crm' }));

  it('names the operation of slow answers, if they have one', () => {
    const slow = { kind: 'slow', operations: { 'users.list': 3 } } as const;
    expect(filterOf(slow)).toEqual({ since, status: 'slow', operation: 'users.list' });
    expect(filterOf({ ...slow, operations: { 'users.list': 3, 'users.get': 2 } })).toEqual({
      since,
      status: 'slow',
    });
  });

  it.each(['config', 'field'] as const)('is absent where none are kept: %s', (kind) =>
    expect(filterOf({ kind, subject: 'crm users.email' })).toBeUndefined(),
  );
});

describe('an incident that reopened', () => {
  it('says when it first began, and how often it reopened', () => {
    const { text, firstAt } = viewOf({ reopened: 2, firstAt: NOW - 600_000 });
    expect(text).toContain('since 03:09:00 UTC (first at 03:00:00 UTC, reopened 2 times), 63 % of its calls');
    expect(firstAt).toBe('2026-01-31T03:00:00.000Z');
  });

  it('is otherwise not told to have begun before', () => {
    const { text, firstAt, runs } = viewOf({ firstAt: NOW - 60_000 });
    expect([text.includes('first at'), firstAt, runs]).toEqual([false, undefined, undefined]);
  });

  it('has the latest five of its runs, the latest first', () => {
    const earlier = [0, 1, 2, 3, 4].map((at) => ({
      ...{ cause: `answers 50${at}`, failed: at },
      ...{ since: NOW - (3 + at) * 100_000, until: NOW - (3 + at) * 100_000 + 20_000 },
    }));
    const { runs = [] } = viewOf({ reopened: 5, firstAt: NOW - 800_000, earlier });
    expect(runs.map(({ cause, failed }) => `${cause} ${failed}`)).toEqual([
      'connection refused 5',
      ...['answers 500 0', 'answers 501 1', 'answers 502 2', 'answers 503 3'],
    ]);
    expect(runs[1]).toMatchObject({ since: '2026-01-31T03:05:00.000Z', until: '2026-01-31T03:05:20.000Z' });
  });
});

const redis = { kind: 'redis', subject: 'keys+limits', cause: 'out of reach' } as const;

describe('who is affected', () => {
  const failed = { answers: { failed: 3, total: 8 } };
  it.each([
    ['callers with tokens; API keys are not affected', { ...failed, kind: 'issuer', subject: 'auth.jwt' }],
    ['callers with keys and tokens that are not known yet', { ...failed, ...redis }],
    [undefined, { ...failed, kind: 'source', subject: 'crm' }],
    [undefined, redis],
  ] as const)('is in words where callers are not known: %s', (affected, incident) =>
    expect(viewOf(incident).affected).toBe(affected),
  );
});

describe('an incident of a lost field', () => {
  const lost = { kind: 'field', subject: 'catalog products.price' } as const;
  it('names the operations whose callers get null', () =>
    expect(viewOf(lost).affected).toBe(
      'all who read price by products.list, products.get: they get null with 200',
    ));

  it('says since when no answer has lacked it', () =>
    expect(viewOf({ ...lost, seen: NOW - 26_000 }).next).toEqual([
      'no answer has lacked it for 26 seconds; it ends after 60, once the values count as back',
    ]));

  it.each([
    ['gone', 'many records lack it, so callers get null'],
    ['unreadable', 'many records have an unreadable one, so callers get null'],
  ])('names the command that accepts what is %s', (how, cause) => {
    const { line } = viewOf({ ...lost, cause }).todo;
    expect(line).toContain(`portico claims reset catalog field.price.${how} accepts it`);
  });
});
