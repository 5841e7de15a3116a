import { createNight, only } from './incident-night.ts';

describe('an incident', () => {
  it('opens with the fifth failure, and began with the first', () => {
    const night = createNight();
    night.seconds(3, () => night.calls('crm', 10));
    const began = night.now;
    night.calls('crm', 0, 4);
    expect(night.incidents()).toEqual([]);
    night.calls('crm', 0, 1);
    const { since, calls, kind, subject } = only(night.incidents());
    expect({ kind, subject }).toEqual({ kind: 'source', subject: 'crm' });
    expect(Math.abs(since - began)).toBeLessThanOrEqual(10);
    expect(calls).toEqual({ failed: 5, total: 5 });
  });

  it('opens after 5 s of few calls of which each fails', () => {
    const night = createNight();
    night.seconds(5, () => night.calls('crm', 0, 1));
    expect(night.short()).toEqual([]);
    night.calls('crm', 0, 1);
    expect(night.short()).toEqual(['source crm open 0']);
  });

  it('is none with one failure', () => {
    const night = createNight();
    night.calls('crm', 0, 1);
    night.seconds(30);
    expect(night.short()).toEqual([]);
  });

  it('is none below 2 % of the calls', () => {
    const night = createNight();
    night.seconds(120, (at) => night.calls('crm', 20, at % 5 === 0 ? 1 : 0));
    expect(night.short()).toEqual([]);
  });

  it('is 20 % where one call in five fails', () => {
    const night = createNight();
    night.seconds(120, () => night.calls('crm', 8, 2));
    const { calls, since } = only(night.incidents());
    expect(calls.failed / calls.total).toBeCloseTo(0.2, 2);
    expect(calls.failed).toBe(240);
    expect(since - night.START).toBeLessThan(1_000);
  });

  it('does not begin with a single failure of a minute before', () => {
    const night = createNight();
    night.calls('crm', 10, 1);
    night.seconds(40, () => night.calls('crm', 10));
    const began = night.now;
    night.seconds(10, () => night.calls('crm', 0, 10));
    expect(Math.abs(only(night.incidents()).since - began)).toBeLessThanOrEqual(10);
  });

  it('ends after 60 s without a failure', () => {
    const night = createNight();
    night.seconds(10, () => night.calls('crm', 0, 2));
    night.seconds(58, () => night.calls('crm', 2));
    expect(night.short()).toEqual(['source crm open 0']);
    night.seconds(2);
    expect(night.short()).toEqual(['source crm ended 0']);
  });

  it('counts no calls from after its last failure', () => {
    const night = createNight();
    night.seconds(10, () => night.calls('crm', 1, 1));
    night.seconds(40, () => night.calls('crm', 10));
    expect(only(night.incidents()).calls).toEqual({ failed: 10, total: 20 });
  });

  it('is the same if it opens again within ten minutes, with the facts of its latest run alone', () => {
    const night = createNight();
    const fail = (caller: string, failed: number, failure: string, host: string) =>
      night.seconds(10, () => {
        night.calls('crm', 0, failed, failure, host);
        night.answers(1, [caller]);
      });
    fail('a', 8, 'outcome', 'a:1');
    night.seconds(300, () => night.calls('crm', 2));
    const began = night.now;
    fail('b', 2, 'shape', 'b:2');
    expect(night.short()).toEqual(['source crm open 1']);
    const { since, firstAt = NaN, ...latest } = only(night.incidents());
    expect(firstAt - night.START).toBeLessThan(1_000);
    expect(Math.abs(since - began)).toBeLessThanOrEqual(10);
    expect(latest).toMatchObject({ cause: 'replies of another shape', calls: { failed: 20, total: 20 } });
    expect([latest.callers, latest.answers]).toEqual([{ b: 10 }, { failed: 10, total: 20 }]);
    expect(Object.keys(latest.hosts)).toEqual(['b:2']);
    const [before, ...others] = latest.earlier ?? [];
    expect([before, others]).toMatchObject([{ cause: 'replies that no outcome rule fits', failed: 80 }, []]);
    expect(before).toMatchObject({ since: firstAt, until: night.START + 9_000 });
  });

  it('that opens again and again keeps the cause of each of its latest runs', () => {
    const night = createNight();
    const failures = ['outcome', 'shape'];
    for (const failure of [...failures, ...failures, ...failures]) {
      night.seconds(10, () => night.calls('crm', 0, 2, failure));
      night.seconds(100, () => night.calls('crm', 2));
    }
    const { cause, reopened, earlier = [] } = only(night.incidents());
    const [noRule, shape] = ['replies that no outcome rule fits', 'replies of another shape'];
    expect([cause, reopened]).toEqual([shape, 5]);
    expect(earlier.map((run) => run.cause)).toEqual([noRule, shape, noRule, shape, noRule]);
  });

  it('is another one after that', () => {
    const night = createNight();
    night.seconds(10, () => night.calls('crm', 0, 2));
    night.seconds(700, () => night.calls('crm', 2));
    expect(night.short()).toEqual([]);
    const began = night.now;
    night.seconds(10, () => night.calls('crm', 0, 2));
    expect(night.short()).toEqual(['source crm open 0']);
    expect(only(night.incidents()).since).toBeGreaterThanOrEqual(began - 10);
  });

  it('is one while calls fail for 5 s and succeed for 5 s, for five minutes', () => {
    const night = createNight();
    night.seconds(300, (at) => night.calls('crm', at % 10 < 5 ? 0 : 4, at % 10 < 5 ? 4 : 0));
    expect(night.short()).toEqual(['source crm open 0']);
  });

  it('is two where two sources fail', () => {
    const night = createNight();
    night.seconds(10, () => {
      night.calls('crm', 0, 2);
      night.calls('passthrough.orders', 0, 2);
      night.calls('catalog', 5);
    });
    expect(night.short()).toEqual(['source crm open 0', 'route passthrough.orders open 0']);
  });

  it('says why most calls failed, and not that the breaker is open', () => {
    const night = createNight();
    night.calls('crm', 0, 5, 'credential');
    night.seconds(30, () => night.calls('crm', 0, 20, 'not_asked'));
    const { cause, calls, notSent } = only(night.incidents());
    expect({ cause, calls, notSent }).toEqual({
      cause: "refuses Portico's credential",
      calls: { failed: 5, total: 5 },
      notSent: 600,
    });
  });

  it('of a source that hangs lasts while calls hang, however long, with all answers of that time', () => {
    const night = createNight();
    night.seconds(200, (at) => {
      night.answers(3, at >= 90 ? ['a'] : [], 'crm', 'upstream_timeout');
      if (at >= 90) night.tracker.call('crm', 'upstream_timeout', 'timeout', 90);
    });
    const { isOpen, answers, reopened } = only(night.incidents());
    expect({ isOpen, reopened }).toEqual({ isOpen: true, reopened: 0 });
    expect(answers.failed / answers.total).toBeLessThan(0.3);
  });

  it('of a source that hangs began when the first call was sent', () => {
    const night = createNight();
    night.seconds(20, (at) => {
      for (let call = 0; call < 4; call += 1)
        if (at >= 10) night.tracker.call('crm', 'upstream_timeout', 'timeout', 10);
    });
    const { since, cause } = only(night.incidents());
    expect(Math.abs(since - night.START)).toBeLessThanOrEqual(1_000);
    expect(cause).toBe('no answer within 10 s');
  });

  it('knows the hosts that were well, even if none is called since one fails', () => {
    const night = createNight();
    night.seconds(5, () => night.calls('crm', 2, 0, '', 'a:1'));
    night.seconds(5, () => night.calls('crm', 0, 2, 'unreachable', 'b:2'));
    const { hosts } = only(night.incidents());
    expect([hosts['a:1'], hosts['b:2']?.failed]).toEqual([{ failed: 0, total: 0 }, 10]);
  });

  it('names the one host of several that fails', () => {
    const night = createNight();
    night.seconds(20, () => {
      night.calls('crm', 2, 0, '', 'a:1');
      night.calls('crm', 0, 2, 'unreachable', 'b:2');
    });
    const { hosts } = only(night.incidents());
    expect(hosts['b:2']).toMatchObject({ failed: 40 });
    expect(hosts['a:1']).toMatchObject({ failed: 0 });
  });
});

describe('an incident that another process of the fleet saw before', () => {
  const crm = { kind: 'source', subject: 'crm' } as const;
  function late(knownAfter: number, beganMs = 0) {
    const night = createNight();
    night.seconds(knownAfter, () => {
      night.calls('crm', 4);
      night.answers(10);
    });
    night.seconds(10, () => {
      night.calls('crm', 2, 2);
      night.answers(8, ['a', 'a']);
    });
    const before = only(night.incidents());
    night.tracker.seen([{ ...crm, since: night.START + beganMs, seen: night.now }]);
    return { began: night.START, before, after: only(night.incidents()) };
  }

  it('began for this one as it did for that one, with the calls and answers since then', () => {
    const { began, before, after } = late(7);
    expect(after.since).toBe(began);
    expect(after.calls.failed).toBe(before.calls.failed);
    expect(Math.abs(after.calls.total - before.calls.total - 7 * 4)).toBeLessThanOrEqual(4);
    expect(Math.abs(after.answers.total - before.answers.total - 7 * 10)).toBeLessThanOrEqual(10);
  });

  it('began less than a second before: this one counts what it saw itself', () => {
    const { before, after } = late(7, 6_200);
    expect(after).toEqual(before);
  });

  it('began more than a minute before: this one counts what it saw itself', () => {
    const { before, after } = late(70);
    expect(after).toEqual(before);
  });
});

describe('what is no incident', () => {
  it('is a caller alone who gets 4xx, and a healthy hour', () => {
    const night = createNight();
    night.seconds(3_600, () => {
      night.calls('crm', 5);
      night.answers(10);
    });
    expect(night.short()).toEqual([]);
  });
});

describe('a slow source', () => {
  it('is an incident from 10 % of its calls on', () => {
    const night = createNight();
    night.seconds(30, (at) => {
      night.calls('crm', 9);
      if (at % 2 === 0) night.tracker.call('crm', '2xx', undefined, 2);
      if (at >= 10) night.tracker.call('catalog', '2xx', undefined, 2);
      night.calls('catalog', 4);
    });
    expect(night.short()).toEqual(['slow catalog open 0']);
    expect(only(night.incidents()).since - night.START).toBe(8_000);
  });

  it.each([
    ['crm', 20, ['slow crm open 0']],
    ['passthrough.orders', 20, ['slow passthrough.orders open 0']],
    ['crm', 1, []],
  ])('is an incident where its callers leave before it answers: %s after %d s', (source, seconds, found) => {
    const night = createNight();
    night.seconds(30, () => night.tracker.call(source, 'cancelled', undefined, seconds));
    expect(night.short()).toEqual(found);
  });
});
