import { setTimeout as sleep } from 'node:timers/promises';
import { createStalledTime } from '../../../../src/telemetry/incidents/stalled-time.ts';
import { createNight, only } from './incident-night.ts';

type Night = ReturnType<typeof createNight>;

/** Answers of two sources that took 1.5 s each, because the process stood still for most of that time. */
function answerLate(night: Night): void {
  night.stall(900);
  for (const caller of ['a', 'b', 'c']) night.slowAnswer(caller, 1.5);
  night.tracker.call('catalog', '2xx', undefined, 1.5);
}

describe('a process that gets too little CPU', () => {
  it('is no incident while no answer is late for it', () => {
    const night = createNight();
    night.seconds(30, () => {
      night.stall(900);
      night.slowAnswer('a', 0.95);
    });
    expect(night.short()).toEqual([]);
  });

  it('is the incident, and none of the sources whose answers it reads late', () => {
    const night = createNight();
    night.seconds(30, () => answerLate(night));
    expect(night.short()).toEqual(['gateway host-1 open 0']);
    expect(only(night.incidents())).toMatchObject({
      ...{ since: night.START - 600, severity: 'warning', callers: { a: 30, b: 30, c: 30 } },
      cause: 'too little CPU, so it answers late',
    });
  });

  it('has to answer for what it reads after its deadline, or refuses', () => {
    const night = createNight();
    night.seconds(30, () => {
      night.stall(900);
      night.tracker.call('crm', 'upstream_timeout', 'timeout', 1.5);
      night.answers(0, ['a'], 'crm', 'upstream_timeout', 504);
      night.answers(0, ['b'], undefined, 'overloaded');
    });
    expect(night.short()).toEqual(['gateway host-1 open 0']);
    expect(only(night.incidents())).toMatchObject({ severity: 'critical', callers: { a: 30, b: 30 } });
  });

  it('is the incident though it stood still once only', () => {
    const night = createNight();
    night.stall(900);
    for (let call = 0; call < 30; call += 1) night.slowAnswer('a', 1.4);
    expect(night.short()).toEqual(['gateway host-1 open 0']);
  });

  it.each([
    ['after it looked in that second', 300],
    ['before it looked in that second', 1_200],
  ])('is the incident though it stood still for longer than a second, from a moment %s', (_, after) => {
    const night = createNight();
    night.seconds(3);
    night.moveTo(night.now + after);
    night.stall(1_500);
    for (let call = 0; call < 30; call += 1) night.slowAnswer('a', 1.6);
    expect(night.short()).toEqual(['gateway host-1 open 0']);
  });

  it('does not hide a source that is slow while the process seldom stands still', () => {
    const night = createNight();
    night.seconds(30, () => {
      night.stall(150);
      for (let call = 0; call < 3; call += 1) night.slowAnswer('a', 2);
    });
    expect(night.short()).toEqual(['slow crm open 0']);
  });
});

it('the time for which a process stood still is that of its long stalls, with one that goes on', async () => {
  let at = 0;
  const stalled = createStalledTime({ monotonic: () => at });
  const afterLook = async (ms: number) => {
    at += ms;
    await sleep(60);
    return stalled.stalledMs();
  };
  expect(await afterLook(5_000)).toBe(0);
  stalled.start();
  expect(await afterLook(120)).toBe(0);
  at += 420;
  expect(stalled.stalledMs()).toBe(400);
  expect(await afterLook(0)).toBe(400);
  expect(await afterLook(320)).toBe(700);
  stalled.close();
});
