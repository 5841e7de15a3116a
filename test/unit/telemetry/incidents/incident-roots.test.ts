import { createNight, only } from './incident-night.ts';

describe('answers that fail', () => {
  it('are counted for the source, by caller and operation, of all answers', () => {
    const night = createNight();
    night.seconds(30, () => {
      night.calls('crm', 0, 2);
      night.answers(2, ['a', 'a', 'b']);
    });
    const { answers, callers, operations, severity } = only(night.incidents());
    expect(callers).toEqual({ a: 60, b: 30 });
    expect(operations).toEqual({ 'crm.list': 90 });
    expect(answers.failed).toBe(90);
    expect(answers.total).toBe(150);
    expect(severity).toBe('critical');
  });

  it('are an incident of the source where its calls succeed', () => {
    const night = createNight();
    night.seconds(10, () => {
      night.calls('crm', 3);
      night.answers(1, ['a', 'b'], 'crm', 'upstream_invalid_response');
    });
    expect(night.short()).toEqual(['source crm open 0']);
  });

  it('for want of a slot are of the source that is slow, and no failure of it', () => {
    const night = createNight();
    night.seconds(30, (at) => {
      if (at >= 2) for (let call = 0; call < 3; call += 1) night.slowAnswer('a');
      if (at >= 5) night.answers(0, ['b'], 'crm', 'overloaded');
    });
    expect(night.short()).toEqual(['slow crm open 0']);
    const { since, cause, callers, answers, severity } = only(night.incidents());
    expect({ since, cause, severity }).toEqual({
      ...{ since: night.START, cause: 'calls take longer than 1 s', severity: 'critical' },
    });
    expect({ callers, failed: answers.failed }).toEqual({ callers: { a: 84, b: 25 }, failed: 25 });
  });

  it('for want of a slot are of the source that fails, and alone no incident', () => {
    const night = createNight();
    night.seconds(90, () => night.answers(1, ['a', 'a'], 'crm', 'overloaded'));
    expect(night.short()).toEqual([]);
    night.seconds(10, () => {
      night.calls('crm', 0, 2);
      night.answers(1, ['b'], 'crm', 'overloaded');
    });
    expect(night.short()).toEqual(['source crm open 0']);
    expect(only(night.incidents())).toMatchObject({ callers: { b: 10 }, answers: { failed: 10 } });
  });

  it('are none where they are only slow: the callers of a slow source are those who wait', () => {
    const night = createNight();
    night.seconds(30, () => {
      for (const caller of ['a', 'b', 'c']) night.slowAnswer(caller);
    });
    expect(only(night.incidents())).toMatchObject({
      ...{ kind: 'slow', severity: 'warning', answers: { failed: 0 } },
      callers: { a: 30, b: 30, c: 30 },
    });
  });

  it('are those, too, whose callers have left because nothing comes', () => {
    const night = createNight();
    const route = 'passthrough.orders';
    night.seconds(30, () => {
      night.answers(1);
      night.tracker.answerHarmed({ status: null, caller: 'a', operation: route }, night.now - 2_000);
      night.tracker.call(route, 'cancelled', undefined, 2);
    });
    expect(only(night.incidents())).toMatchObject({
      ...{ kind: 'slow', subject: route, cause: 'callers leave without an answer after 1 s' },
      ...{ severity: 'critical', answers: { failed: 30 }, callers: { a: 30 } },
    });
  });

  it('after a deadline are of the slow source, while fewer calls time out than are slow', () => {
    const night = createNight();
    night.seconds(30, (at) => {
      for (let call = 0; call < 3; call += 1) night.slowAnswer('a');
      if (at < 10) return;
      night.tracker.call('crm', 'upstream_timeout', 'timeout', 5);
      night.answers(0, ['b'], 'crm', 'upstream_timeout', 504);
    });
    expect(only(night.incidents())).toMatchObject({
      ...{ kind: 'slow', cause: 'calls take longer than 1 s', severity: 'critical' },
      ...{ calls: { failed: 90 }, answers: { failed: 20 }, callers: { a: 90, b: 20 } },
    });
  });

  it('after a deadline are of the source once more calls time out than are slow', () => {
    const night = createNight();
    night.seconds(10, () => night.slowAnswer('a'));
    night.seconds(10);
    night.seconds(10, () => {
      night.tracker.call('crm', 'upstream_timeout', 'timeout', 5);
      night.answers(0, ['b'], 'crm', 'upstream_timeout', 504);
    });
    expect(night.short()).toEqual(['slow crm open 0', 'source crm open 0']);
  });

  it('make an incident worse that had none before', () => {
    const night = createNight();
    night.seconds(30, () => night.calls('crm', 0, 2));
    expect(only(night.incidents())).toMatchObject({ severity: 'warning', worsenedAt: undefined });
    night.answers(0, ['a']);
    expect(only(night.incidents())).toMatchObject({ severity: 'critical', worsenedAt: night.now });
  });

  it('with 500 are of the gateway itself', () => {
    const night = createNight();
    night.seconds(10, () => night.answers(10, ['a'], undefined, 'server_error'));
    expect(night.short()).toEqual(['gateway answers open 0']);
  });

  it('are of Redis where that is the root', () => {
    const night = createNight();
    night.state({ kind: 'redis', subject: 'keys+limits', cause: 'out of reach' });
    night.seconds(10, () => {
      night.answers(5, ['a'], undefined, 'limiter_unavailable');
      night.answers(5, ['b'], 'redis.keys', 'upstream_unavailable');
      night.answers(5, ['c'], undefined, 'server_error');
    });
    expect(night.short()).toEqual(['redis keys+limits open 0']);
    expect(only(night.incidents()).callers).toMatchObject({ a: 10, b: 10 });
  });

  it('with 401 are of lost keys once Redis has lost them, and alone they are no incident', () => {
    const night = createNight();
    const refuse = () => night.answers(5, ['a', 'b'], 'redis.keys', 'authentication_required', 401);
    night.seconds(10, refuse);
    expect(night.short()).toEqual([]);
    const since = night.now - 500;
    night.state({ kind: 'keys', subject: 'keys', cause: 'has lost its data', since, isCritical: true });
    night.seconds(10, refuse);
    expect(night.short()).toEqual(['keys keys open 0']);
    expect(only(night.incidents())).toMatchObject({ since, severity: 'critical', callers: { a: 10, b: 10 } });
  });

  it('with 401 for lost keys open their incident again, but one alone does not', () => {
    const night = createNight();
    const refuse = () => night.answers(5, ['a'], 'redis.keys', 'authentication_required', 401);
    const lost = { kind: 'keys', subject: 'keys', cause: 'has lost its data', isCritical: true } as const;
    night.state({ ...lost, since: night.now });
    night.seconds(10, refuse);
    night.seconds(120);
    refuse();
    night.seconds(5);
    expect(night.short()).toEqual(['keys keys ended 0']);
    night.seconds(2, refuse);
    expect(night.short()).toEqual(['keys keys open 1']);
  });

  it('without a working key set are of the issuer', () => {
    const night = createNight();
    night.seconds(10, () => {
      night.tracker.issuer('connection refused');
      night.answers(5, ['a'], 'auth.jwt', 'upstream_unavailable');
    });
    expect(night.short()).toEqual(['issuer auth.jwt open 0']);
  });
});

describe('a state', () => {
  it('that lasts 5 s is an incident, and one that passes is none', () => {
    const night = createNight();
    const redis = (cause?: string) => night.state({ kind: 'redis', subject: 'cache', cause });
    redis('out of reach');
    night.seconds(3);
    redis();
    night.seconds(30);
    expect(night.short()).toEqual([]);
    redis('out of reach');
    night.seconds(8);
    expect(night.short()).toEqual(['redis cache open 0']);
  });

  it('that is certain is an incident at once, since it began', () => {
    const night = createNight();
    const since = night.now - 20_000;
    night.state({ kind: 'config', subject: 'files', cause: 'the reload was refused', since });
    night.second();
    expect(only(night.incidents())).toMatchObject({ since, isOpen: true, severity: 'warning' });
  });

  it.each([2, 7, 30])('began as it did, although an answer had failed %d s before', (beforeS) => {
    const night = createNight();
    const redis = (cause?: string) => night.state({ kind: 'redis', subject: 'keys+limits', cause });
    redis();
    night.answers(5, ['a'], undefined, 'limiter_unavailable');
    night.seconds(40);
    night.answers(5, ['a'], undefined, 'limiter_unavailable');
    night.seconds(beforeS);
    const began = night.now;
    redis('out of reach');
    night.seconds(10, () => night.answers(5, ['a'], undefined, 'limiter_unavailable'));
    expect(Math.abs(only(night.incidents()).since - began)).toBeLessThanOrEqual(2_000);
  });
});

describe('the hosts of a source', () => {
  it('have the counts of their calls until the last failure, as the source has', () => {
    const night = createNight();
    night.seconds(10, () => night.calls('crm', 0, 4, 'unreachable', 'a:1'));
    night.seconds(10, () => night.calls('crm', 4, 0, '', 'a:1'));
    const { calls, hosts } = only(night.incidents());
    expect([calls, hosts['a:1']]).toEqual([
      { failed: 40, total: 40 },
      { failed: 40, total: 40 },
    ]);
  });
});
