import { readFileSync } from 'node:fs';
import { compileIncident, type IncidentFacts } from '../../../../src/admin/views/incident-view.ts';
import type { FleetIncident } from '../../../../src/telemetry/incidents/fleet-incidents.ts';

const NOW = Date.UTC(2026, 0, 31, 3, 10, 0);

/** An entry of the runbook, as its file has it. */
const runbook = (entry: string) =>
  readFileSync('config/docs/runbook.md', 'utf8').split(`### \`${entry}\``)[1]?.split('\n### ')[0];

/** What is said of an open incident that has failed just now, since a minute ago. */
function viewOf(incident: Partial<FleetIncident>, facts: Partial<IncidentFacts> = {}) {
  const usual: FleetIncident = {
    ...{ id: 'one', kind: 'source', subject: 'crm', cause: 'connection refused', severity: 'critical' },
    ...{ since: NOW - 60_000, last: NOW, seen: NOW, isOpen: true, reopened: 0, notSent: 0 },
    ...{ calls: { failed: 5, total: 8 }, answers: { failed: 0, total: 8 }, callers: {}, operations: {} },
    ...{ labels: {}, otherCallers: 0, hosts: {}, starts: [], told: {} },
  };
  return compileIncident(
    { ...usual, ...incident },
    {
      ...{ now: NOW, before: { changes: [] }, effects: [], runbook, keysMs: 30_000, issuerMs: 300_000 },
      issuerPauseMs: 30_000,
      ...{ breakerMs: () => 5_000, staleMs: () => undefined, redisUrl: () => 'redis://r1:6379' },
      operationsOf: ({ resource }) => [`${resource}.list`, `${resource}.get`],
      ...facts,
    },
  );
}

const adviceOf = ({ todo }: ReturnType<typeof viewOf>) => todo.line;

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

const redis = { kind: 'redis', subject: 'keys+limits', cause: 'out of reach' } as const;

describe('an incident of a pass-through route', () => {
  it.each(['route', 'slow'] as const)('has the name of the route: %s', (kind) =>
    expect(viewOf({ kind, subject: 'passthrough.orders' }).text).toMatch(/^route orders: /),
  );
});

describe('an incident of Redis', () => {
  it('says that known keys are no longer served while it is away, and not once it is back', () => {
    expect(viewOf(redis).next).toContain('known keys are no longer served');
    expect(viewOf({ ...redis, last: NOW - 26_000, seen: NOW - 26_000 }).next).toEqual([
      'nothing has failed for 26 seconds; it ends after 60',
    ]);
  });

  it('names the server, and to bring it back', () => {
    const { command, line } = viewOf(redis).todo;
    expect(command).toBe('redis-cli -u redis://r1:6379 ping');
    expect(line).toMatch(/^bring that Redis back: /);
  });
});

describe('an incident of a source', () => {
  it.each([
    ['connection refused', /^bring the service back; the gateway uses it again by itself\.$/],
    ['answers 500', /^bring the service back; /],
    ["refuses Portico's credential (401)", /^renew the credential in the source's file\. /],
    ['no answer within 2 s', /^find out why the service is slow or does not answer\. Raise deadline only/],
  ])('says what is to do if it %s', (cause, line) => expect(adviceOf(viewOf({ cause }))).toMatch(line));

  it('says whether each request asks it, or waits for a slot', () => {
    const saturated = { severity: 'warning', code: 'saturated', text: '39 calls wait' } as const;
    expect(viewOf({}).next[0]).toBe('its breaker is closed: each request asks it');
    expect(viewOf({}, { effects: [saturated] }).next[0]).toBe(
      'its breaker is closed, but all its slots are taken: requests wait for one, or get 503 overloaded',
    );
  });
});

describe('the breakers of the source of an incident', () => {
  it.each([
    [{ open: 2 }, 2_000, 'its breaker is open: one call tries in 3 seconds'],
    [{ open: 1 }, 5_000, 'its breaker is open: the next call tries'],
    [{ half_open: 1 }, 2_000, 'its breaker is half open: the next call tries'],
    [
      { closed: 1, half_open: 1, open: 1 },
      2_000,
      'its breaker is open in 1 of 3 processes, half open in 1 of 3 processes, closed in 1 of 3 processes: one call tries in 3 seconds',
    ],
  ])('are told as one state of the fleet, the worst first: %j, %d ms after it opened', (breakers, ms, text) =>
    expect(viewOf({ breakers, breakerAt: NOW - ms }).next[0]).toBe(text),
  );
});

describe('an incident of the issuer', () => {
  const issuer = { kind: 'issuer', subject: 'auth.jwt' } as const;
  const refused = [
    'tokens are refused with 503 until its key set can be read',
    'the next token asks for its key set, at most once a second',
  ];

  it('says only in one place when it is asked again', () =>
    expect(adviceOf(viewOf(issuer))).toBe('bring the issuer back, or correct auth.jwt.jwksUrl and reload.'));

  it('says how long the last key set serves, and when it is asked for again', () => {
    expect(viewOf({ ...issuer, last: NOW - 10_000, seen: NOW - 10_000 }).next).toEqual([
      'the last key set serves for at most 240 seconds more; tokens of a newer key get 401',
      'the first token after 20 seconds asks for its key set again',
    ]);
  });

  it.each([
    ['once a token was refused', { answers: { failed: 1, total: 8 } }],
    ['once its time is over', { since: NOW - 300_000 }],
  ])('says that tokens are refused %s', (_, of) =>
    expect(viewOf({ ...issuer, ...of }).next).toEqual(refused),
  );
});

describe('an incident of the issuer whose tokens were refused', () => {
  it('is quiet some seconds after the last refusal, and says nothing else then', () => {
    const quiet = { last: NOW - 17_000, seen: NOW - 17_000, answers: { failed: 3, total: 9 } };
    expect(viewOf({ kind: 'issuer', subject: 'auth.jwt', ...quiet })).toMatchObject({
      isQuiet: true,
      next: ['nothing has failed for 17 seconds; it ends after 60'],
    });
  });
});

describe('an incident in which no answer fails', () => {
  it.each(['slow', 'field'] as const)('says how many answers it affects: %s', (kind) =>
    expect(viewOf({ kind, subject: 'crm users.email', operations: { a: 3, b: 1 } }).answers.flawed).toEqual({
      ...{ failed: 4, total: 8, share: 0.5 },
    }),
  );
});

describe('an incident of a machine that gives the gateway too little CPU', () => {
  it('names the machine, says that it is no service, and to give it more CPU', () => {
    const cause = 'too little CPU, so it answers late';
    const { text, faultText, todo, calls } = viewOf({ kind: 'gateway', subject: 'host-1', cause });
    expect(text).toContain('the gateway on host-1: too little CPU, so it answers late since 03:09:00 UTC');
    expect(faultText).toBe('the gateway itself, not the services behind it');
    expect(todo).toEqual({
      ...{ entry: 'overloaded', view: '#/requests?status=slow', command: 'portico requests --status slow' },
      line: "if there is too little CPU, raise the CPU limit of the gateway's container, or stop what else keeps its machine busy; if its own requests do, start more replicas or workers.",
    });
    expect(calls).toBeUndefined();
  });
});

describe('an open incident', () => {
  it.each([
    ['source', 3_000, false],
    ['source', 3_001, true],
    ['field', 5_000, false],
    ['field', 5_001, true],
  ] as const)('may be over once its last failure is some seconds ago: %s, %d ms', (kind, ms, isQuiet) => {
    const subject = kind === 'field' ? 'crm crm.email' : 'crm';
    expect(viewOf({ kind, subject, seen: NOW - ms }).isQuiet).toBe(isQuiet);
    expect(viewOf({ kind, subject, seen: NOW - ms, isOpen: false }).isQuiet).toBeUndefined();
  });
});

describe('the callers of an incident', () => {
  const answers = { failed: 7, total: 20 };

  it('are counted beside failed answers whose caller could not be told', () => {
    expect(viewOf({ answers, callers: { web: 4, batch: 1 } }).unknownCallers).toBe(2);
    expect(viewOf({ answers, callers: { web: 4 }, otherCallers: 3 }).unknownCallers).toBeUndefined();
  });
});

describe('whose fault an incident is', () => {
  const reload = (beforeMs: number) => ({
    changes: [
      {
        at: new Date(NOW - 60_000 - beforeMs).toISOString(),
        by: 'ada',
        what: 'reload applied: sources.crm changed',
      },
    ],
  });
  const perhaps =
    'perhaps the configuration, changed at 03:08:30: portico config diff, portico config back; else the service behind the gateway, not the gateway';

  it.each([
    [30_000, perhaps],
    [61_000, 'the service behind the gateway, not the gateway'],
  ])('is perhaps that of a reload, if one was applied %d ms before', (beforeMs, text) =>
    expect(viewOf({}, { before: reload(beforeMs) }).faultText).toBe(text),
  );

  it('is not that of a reload of limits alone, which makes no service fail', () => {
    const [change] = reload(30_000).changes;
    const whatOf = (what: string) => ({ changes: change === undefined ? [] : [{ ...change, what }] });
    const faultOf = (what: string) => viewOf({}, { before: whatOf(what) }).faultText;
    expect(faultOf('reload applied: limits.tiers.spare.windows.0.points changed 7 → 8')).toBe(
      'the service behind the gateway, not the gateway',
    );
    expect(faultOf('reload applied: limits.tiers.a changed, sources.crm changed')).toBe(perhaps);
  });

  it('is ours, if the service refuses our credential', () =>
    expect(viewOf({ cause: "refuses Portico's credential (401)" })).toMatchObject({
      fault: 'configuration',
      faultText: 'ours: the credential in the file of the source, unless the service has withdrawn it',
    }));
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
