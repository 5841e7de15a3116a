import { positionWords, statusReport, taskText } from '../../../../src/cli/migration/status-report.ts';
import { renderText } from '../../../../src/workbench/explain/report/report.ts';

type Status = Parameters<typeof statusReport>[0];
type Task = Parameters<typeof taskText>[0];

const compared = {
  ...{
    keys: 2_210,
    match: 2_208,
    mismatch: 0,
    transient: 1,
    inconclusive: 41,
    ignored: 2,
    failedNew: 1,
    odd: 0,
  },
  ...{ bound95: 0.00135, lagP99Ms: 1_700, cusum: 0.92, once: [], given: 0 },
};
const status = (more: object = {}) =>
  ({
    ...{ resource: 'users', sources: ['crm', 'people'], stage: 'shadow', percent: 0, rev: 3 },
    ...{ since: '2026-11-20T10:00:00Z', replicas: { atRev: 2, total: 2, stale: [] }, staleSeconds: 0 },
    ...{ operations: {}, hold: null, gate: { next: null, ready: false, unmet: [] }, compare: {} },
    ...{
      fallback: {},
      uncompared: [],
      lastRollback: null,
      walk: null,
      edges: null,
      rehearsedAt: null,
      task: null,
    },
    ...{ rules: [], notes: [], forced: [], pending: null, scope: 'fleet' },
    ...more,
  }) as unknown as Status;
const textOf = (more?: object) => renderText(statusReport(status(more)).blocks);

describe('the position of a migration', () => {
  it.each([
    [{ stage: 'ramp' as const, percent: 5 }, 'ramp at 5 %'],
    [{ stage: 'shadow' as const, percent: 0 }, 'shadow'],
    [{ stage: 'live' as const, percent: 100 }, 'live'],
  ])('of %j is %s', (position, words) => expect(positionWords(position)).toBe(words));
});

describe('the status of a migration', () => {
  it('begins with the sources, the stage, and the processes that have it', () => {
    expect(textOf()).toBe(
      'users: crm -> people, shadow since 2026-11-20T10:00:00Z (rev 3)\n  2 of 2 processes have it\n',
    );
  });

  it('names the processes that have it not', () => {
    expect(textOf({ replicas: { atRev: 1, total: 2, stale: ['b'] } })).toContain(
      '1 of 2 processes have it; not yet: b',
    );
  });

  it.each([
    [4, false],
    [5, true],
  ])('says after %i s without Redis that the last known state counts: %s', (staleSeconds, says) => {
    expect(textOf({ staleSeconds }).includes('the last known state counts')).toBe(says);
  });

  it('says without Redis for how long the gateway knows what it says, and nothing of other processes', () => {
    const text = textOf({ scope: 'process', staleSeconds: 42.4 });
    expect(text).toContain('Redis does not answer, so this is what the gateway has known for 42 s');
    expect(text).not.toContain('processes have it');
  });

  it('says what the step to this position went over', () => {
    expect(textOf({ forced: ['soak: 19h, needs 24h'] })).toContain('\n  forced over soak: 19h, needs 24h\n');
  });

  it('says who holds it, and why', () => {
    const hold = { at: 'noon', by: 'judge', reason: 'it failed' };
    expect(textOf({ hold })).toContain('on hold since noon by judge: it failed');
  });

  it('names what the next step asks for', () => {
    const unmet = [{ id: 'keys', operation: 'users.get', have: 10, need: 2_995 }];
    const text = textOf({ gate: { next: 'ramp at 1 %', ready: false, unmet } });
    expect(text).toContain('Next: ramp at 1 %, not ready');
    expect(text).toMatch(/keys +users\.get +10 +needs 2995/);
    expect(textOf({ gate: { next: 'ramp at 1 %', ready: true, unmet: [] } })).toContain(
      'Next: ramp at 1 %, ready',
    );
  });

  it('has a row for each operation that was compared', () => {
    const text = textOf({ compare: { 'users.get': compared } });
    expect(text).toMatch(/users\.get +2210 +2208 +0 +1 +41 +2 +1 +0 +0\.135 % +1700 ms +0\.9/);
  });

  it('says of what differed once whether writes explain it, and whether that was measured', () => {
    const once = [{ field: 'email', isAtOnce: true, isMeasured: false, share: 0.0123, noise: 0.001 }];
    const text = textOf({ compare: { 'users.get': { ...compared, once, given: 4 } } });
    expect(text).toMatch(/users\.get +email +at once +1\.2 % +0\.1 % so far +4/);
  });

  it('names the causes of fallbacks that there were, and no others', () => {
    const text = textOf({ fallback: { failed: 2, timeout: 0, missing: 1 } });
    expect(text).toContain('Fallbacks: 2 failed, 1 missing');
  });

  it('says which step waits for an approval, until when, who has asked for it and why, and over what', () => {
    const asked = { to: 'ramp:5', operation: 'users.get', by: 'ana', until: 'noon', reason: 'wave 2' };
    expect(textOf({ pending: { ...asked, over: ['soak: 19h, needs 24h'] } })).toContain(
      [
        '  ramp:5 of users.get waits until noon for an approval; ana has asked for it: wave 2',
        '    forced over soak: 19h, needs 24h',
      ].join('\n'),
    );
  });

  it('says how many answers were not compared, and why', () => {
    const uncompared = [{ outcome: 'dropped_rate', count: 12, why: 'shadow.maxRps is used up' }];
    expect(textOf({ uncompared })).toContain(
      'Not compared: 12 dropped_rate, because shadow.maxRps is used up',
    );
  });

  it('names the last rollback, walk, edge cases and rehearsal', () => {
    const text = textOf({
      lastRollback: { at: 'noon', by: 'judge', rule: 'failures', evidence: 'cusum 9.3' },
      walk: { records: 5_000, differences: 2 },
      edges: { asked: 40, different: 1 },
      rehearsedAt: 'yesterday',
    });
    expect(text).toContain('Last rollback: noon by judge (failures): cusum 9.3');
    expect(text).toContain('Last walk: 5000 records, 2 differences');
    expect(text).toContain('Edge cases: 40 questions, 1 differ');
    expect(text).toContain('Rehearsed: yesterday');
  });

  it('is the whole status as JSON', () => {
    const given = status();
    expect(statusReport(given).json).toBe(given);
  });
});

describe('long work of a migration', () => {
  const work = (outcome: object, more: object = {}) =>
    ({ kind: 'walk', by: 'ana', done: 50, startedAt: 'noon', outcome, ...more }) as unknown as Task;

  it.each<[Task, string]>([
    [work({ kind: 'running' }), 'walk by ana since noon: 50'],
    [work({ kind: 'running' }, { of: 100 }), 'walk by ana since noon: 50 of 100'],
    [work({ kind: 'failed', at: 'one', problem: 'refused' }), 'walk by ana failed at one: refused'],
    [
      work({ kind: 'done', at: 'one', result: { records: 7, list: [1] } }),
      'walk by ana done at one: records 7',
    ],
  ])('%# says how far it is, or what came of it', (task, text) => expect(taskText(task)).toBe(text));
});
