import type { IncidentView } from '../../../../src/admin/api/incident-specs.ts';
import {
  incidentListLines,
  oneIncidentLines,
} from '../../../../src/workbench/explain/report/incident-report.ts';

const AT = '2026-01-31T03:10:00.000Z';
const share = { failed: 5, total: 8, share: 0.625 };
const slow: IncidentView = {
  ...{ id: 'one', kind: 'slow', subject: 'crm', cause: 'calls take longer than 1 s', severity: 'warning' },
  ...{ text: 'source crm', state: 'open', since: '2026-01-31T03:09:00.000Z', last: AT, reopened: 0 },
  ...{ fault: 'upstream', faultText: 'the service', calls: { ...share, notSent: 0 } },
  ...{ answers: { failed: 0, total: 8, share: 0 }, callers: [], moreCallers: { callers: 0, failed: 0 } },
  ...{ operations: [], hosts: [], effects: [], before: { changes: [] }, next: [] },
  todo: { entry: 'upstream_timeout', line: 'find out', view: '#/', command: 'portico requests' },
};
const textOf = (more: Partial<IncidentView> = {}) =>
  oneIncidentLines({
    scope: 'fleet',
    scopeText: '',
    silent: [],
    at: AT,
    incident: { ...slow, ...more },
  }).join('\n');

describe('an incident in a terminal', () => {
  it('has slow calls where they did not fail', () => {
    expect(textOf()).toContain('calls     5 of 8 slow (63 %)');
    expect(textOf({ kind: 'source' })).toContain('calls     5 of 8 failed (63 %)');
  });

  it('says when it is over, once nothing has failed for some seconds', () => {
    expect(textOf()).toContain('over?     no: last seen 0 s ago');
    expect(textOf({ last: '2026-01-31T03:09:43.000Z', isQuiet: true })).toContain(
      'over?     no: last seen 17 s ago, nothing since; it ends a minute',
    );
  });

  it('has who is affected where no caller is known', () =>
    expect(textOf({ affected: 'callers with tokens' })).toContain('callers   callers with tokens'));

  it('has the answers of callers that are not known beside those of known ones', () =>
    expect(textOf({ callers: [{ id: 'web', failed: 4 }], unknownCallers: 2 })).toContain(
      'callers   web 4, callers that are not known 2',
    ));
});

it('an incident in a terminal has the command that lists its requests', () => {
  const requestFilter = { since: '2026-01-31T03:08:59.000Z', source: 'crm' };
  const operations = [{ name: 'users.list', failed: 5 }];
  const command = 'portico requests --since 2026-01-31T03:08:59.000Z --source crm';
  expect(textOf({ operations, requestFilter })).toContain(`requests  users.list 5\n            ${command}\n`);
  expect(textOf({ requestFilter })).not.toContain(command);
});

it('an incident that ended has its id in the list, in a command that shows it', () => {
  const ended: IncidentView = { ...slow, state: 'ended' };
  const of = { scope: 'fleet', scopeText: '', silent: [], at: AT, others: [] } as const;
  expect(incidentListLines({ ...of, incidents: [ended] }).slice(-2)).toEqual([
    '2026-01-31 03:10:00 UTC ended: source crm',
    '  portico status --id one',
  ]);
});

describe('an incident that reopened', () => {
  it('says when it first began, and how often it reopened', () =>
    expect(textOf({ firstAt: '2026-01-31T03:01:00.000Z', reopened: 2 }).replaceAll(/\s+/g, ' ')).toContain(
      'since 2026-01-31 03:09:00 UTC, for 1 min 0 s; first at 2026-01-31 03:01:00 UTC, reopened 2 times',
    ));

  it('lists its runs, each with its cause, its times and its failures', () => {
    const runs = [
      { cause: 'no answer within 2 s', since: '2026-01-31T03:09:00.000Z', until: AT, failed: 5 },
      {
        ...{ cause: 'answers 500', failed: 1_200 },
        ...{ since: '2026-01-31T03:01:00.000Z', until: '2026-01-31T03:04:30.000Z' },
      },
    ];
    expect(textOf({ kind: 'source', runs, reopened: 1 })).toContain(`
  runs      03:09:00 to 03:10:00: no answer within 2 s, 5 failed
            03:01:00 to 03:04:30: answers 500, 1,200 failed
`);
  });
});

describe('what no incident explains', () => {
  it('says since when, what happens by itself, and what to do, where that is known', () => {
    const other = { severity: 'info', code: 'caller_refused', text: 'Limits refuse a caller.' } as const;
    const todo = { line: 'Ask it to wait.', command: 'portico keys update one --tier <tier>' };
    const known = { since: '2026-01-31T03:09:00.000Z', next: ['its windows refill'], todo };
    const lines = incidentListLines({
      ...{ scope: 'fleet', scopeText: '', silent: [], at: AT, incidents: [] },
      others: [
        { ...other, ...known, entry: 'PorticoCallerRefused', view: '#/requests?status=429&caller=one' },
      ],
    });
    expect(lines.slice(-6).join('\n')).toBe(
      [
        'info: Limits refuse a caller.',
        '  since     2026-01-31 03:09:00 UTC',
        '  before    portico audit --since 2026-01-31T02:54:00.000Z',
        '  next      its windows refill',
        '  to do     Ask it to wait.',
        '            portico keys update one --tier <tier>; portico requests --status 429',
        '            --caller one; runbook: PorticoCallerRefused; console:',
        '            #/requests?status=429&caller=one',
      ].join('\n'),
    );
  });

  it('has its entry of the runbook and its view of the console', () => {
    const other = { severity: 'info', code: 'spans_lost', text: 'Spans are lost.' } as const;
    const lines = incidentListLines({
      ...{ scope: 'fleet', scopeText: '', silent: [], at: AT, incidents: [] },
      others: [{ ...other, entry: 'PorticoSpansLost', view: '#/callers' }, other],
    });
    expect(lines.slice(-3)).toEqual([
      'info: Spans are lost.',
      '  runbook: PorticoSpansLost; console: #/callers',
      'info: Spans are lost.',
    ]);
  });
});
