import { NOW, viewOf } from '../../../support/admin/view-of-incident.ts';

const adviceOf = ({ todo }: ReturnType<typeof viewOf>) => todo.line;

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

describe('the older answers of a source that fails', () => {
  const staleMs = () => 90_000;
  it.each([
    [
      'are served as long as configured if each call fails',
      5,
      'older answers are served for at most 30 seconds more',
    ],
    ['are not spoken of if some calls bring new answers', 8, undefined],
  ])('%s', (_name, total, text) =>
    expect(viewOf({ calls: { failed: 5, total } }, { staleMs }).next[1]).toBe(text),
  );
});

describe('the breakers of the source of an incident', () => {
  it.each([
    [{ open: 2 }, 2_000, 'its breaker is open: one call of each process tries in 3 seconds'],
    [{ open: 1 }, 5_000, 'its breaker is open: one call at a time tries, and the others are not sent'],
    [
      { half_open: 1 },
      2_000,
      'its breaker is half open: one call at a time tries, and the others are not sent',
    ],
    [
      { closed: 1, half_open: 1, open: 1 },
      2_000,
      'its breaker is open in 1 of 3 processes, half open in 1 of 3 processes, closed in 1 of 3 processes: one call of each process tries in 3 seconds',
    ],
  ])('are told as one state of the fleet, the worst first: %j, %d ms after it opened', (breakers, ms, text) =>
    expect(viewOf({ breakers, breakerAt: NOW - ms }).next[0]).toBe(text),
  );
});

describe('an incident of the issuer', () => {
  const issuer = { kind: 'issuer', subject: 'auth.jwt' } as const;
  const refused = [
    'tokens are refused with 503 until its key set can be read',
    'the next token asks for its key set, in each process at most once a second',
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
