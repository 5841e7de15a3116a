import { createHosts, type Host } from '../../../../src/source/resilience/hosts.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

/** Hosts `h1` to `h<count>`, left out for 10 s after 3 failures in a row. */
function openHosts(count: number) {
  const clock = createManualClock();
  const events: string[] = [];
  let seed = 1;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const hosts = createHosts(
    Array.from({ length: count }, (_, index) => `http://h${index + 1}/api`),
    { failures: 3, ejectMs: 10_000 },
    {
      monotonic: () => clock.monotonic(),
      random,
      onEvent: ({ name }, event) => void events.push(`${name} ${event}`),
    },
  );
  const [first] = hosts.all as [Host];
  /** The hosts that many requests are sent to. */
  const chosen = (avoid?: Host) =>
    new Set(Array.from({ length: 100 }, () => hosts.choose({}, avoid).name)).size;
  const fail = (host: Host, times = 3) => {
    for (let time = 0; time < times; time += 1) hosts.report(host, 'failure', 0);
  };
  return { hosts, first, clock, events, chosen, fail };
}

describe('several hosts', () => {
  it('are all asked, each less the busier it is', () => {
    const { hosts } = openHosts(4);
    for (let call = 0; call < 400; call += 1) hosts.choose({}).active += 1;
    for (const { active } of hosts.all) expect(Math.abs(active - 100)).toBeLessThan(10);
  });

  it('are one host for all calls of one request', () => {
    const { hosts } = openHosts(4);
    const request = {};
    expect(new Set(Array.from({ length: 50 }, () => hosts.choose(request))).size).toBe(1);
  });

  it('are another host for a retry, and for all later calls of that request', () => {
    const { hosts } = openHosts(4);
    const request = {};
    const home = hosts.choose(request);
    const next = hosts.choose(request, home);
    expect(next).not.toBe(home);
    expect(hosts.choose(request)).toBe(next);
  });

  it('eject one that fails again and again, for longer each time', () => {
    const { hosts, first, clock, events, chosen, fail } = openHosts(3);
    fail(first, 2);
    hosts.report(first, 'success', 0);
    fail(first, 2);
    expect(chosen()).toBe(3);
    fail(first, 1);
    expect([events, chosen()]).toEqual([['h1 ejected'], 2]);
    clock.advance(10_000);
    expect(chosen()).toBe(3);
    fail(first);
    clock.advance(19_999);
    expect(chosen()).toBe(2);
    clock.advance(1);
    expect(chosen()).toBe(3);
  });

  it('forget ejections that are long ago', () => {
    const { hosts, first, clock, chosen, fail } = openHosts(2);
    fail(first);
    clock.advance(10_000 + 10_000);
    hosts.report(first, 'success', 0);
    fail(first);
    clock.advance(10_000);
    expect(chosen()).toBe(2);
  });

  it('never lose the last one', () => {
    const { hosts, events, chosen, fail } = openHosts(3);
    for (const host of hosts.all) fail(host, 100);
    expect([events.length, chosen()]).toEqual([2, 1]);
  });

  it('skip one that a check finds unhealthy until it is healthy, and are all called if all are unhealthy', () => {
    const { hosts, first, events, chosen } = openHosts(2);
    hosts.reportHealth(first, false);
    hosts.reportHealth(first, false);
    expect(chosen()).toBe(1);
    for (const host of hosts.all) hosts.reportHealth(host, false);
    expect(chosen()).toBe(2);
    for (const host of hosts.all) hosts.reportHealth(host, true);
    expect([events, chosen()]).toEqual([['h1 unhealthy', 'h2 unhealthy', 'h1 healthy', 'h2 healthy'], 2]);
  });

  it('are not judged by calls whose callers have gone', () => {
    const { hosts, first, events } = openHosts(2);
    for (let time = 0; time < 100; time += 1) hosts.report(first, 'ignored', 0);
    expect(events).toEqual([]);
  });
});

describe('a single host', () => {
  it('is always asked', () => {
    const { hosts, first, chosen, fail } = openHosts(1);
    fail(first, 100);
    expect([hosts.choose({}, first), chosen()]).toEqual([first, 1]);
  });
});
