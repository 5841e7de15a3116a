import { setTimeout as sleep } from 'node:timers/promises';
import type { IncidentView } from '../../src/admin/api/incident-specs.ts';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { againRows } from './again.ts';
import { type Fleet, startFleet } from './harness/fleet.ts';
import { listed, openIn, spendNight } from './harness/night.ts';
import { starving } from './starving.ts';
import { callsOf, isAt, isCount, truthOf } from './harness/truth.ts';

const WARM_MS = 8_000;

const namesOf = (incidents: readonly IncidentView[]) =>
  incidents.map(({ kind, subject }) => `${kind} ${subject}`).sort();

const isTold = ({ told }: Fleet, type: string) => told.filter((one) => one.type === type).length;

async function twoAtOnce(bench: FaultBench) {
  const night = await spendNight(bench, {
    async begin({ people, redis }) {
      people.inject({ manner: 'fails' });
      await redis.cache.kill();
    },
    async end({ people, redis }) {
      people.inject({ manner: 'well' });
      await redis.cache.restart();
    },
  });
  const { early, over, fleet, from } = night;
  const [open, terminal] = [openIn(early.page), openIn(early.json)];
  const both = ['redis cache', 'source people'];
  return promised(
    namesOf(open).join() === both.join() &&
      namesOf(terminal).join() === both.join() &&
      open.every(({ since }) => isAt(since, from)) &&
      openIn(over.page).length === 0,
    {
      incidents: namesOf(open).join(', '),
      'in terminal': namesOf(terminal).join(', '),
      webhooks: isTold(fleet, 'incident.opened'),
    },
  );
}

const two: BenchRow = {
  id: 'incidents-two',
  name: 'a service answers 500 while the Redis of the cache is killed: two incidents, each since its own beginning',
  run: twoAtOnce,
};

async function flap(bench: FaultBench) {
  const fleet = await startFleet(bench);
  await sleep(WARM_MS);
  const rounds = bench.long ? 30 : 6;
  for (let round = 0; round < rounds; round += 1) {
    fleet.people.inject({ manner: 'fails' });
    await sleep(5_000);
    fleet.people.inject({ manner: 'well' });
    await sleep(5_000);
  }
  await sleep(5_000);
  const { page, terminal } = await listed(fleet);
  const { calls = { failed: 0, total: 0 }, ...truth } = truthOf({ fleet }, fleet.people.log);
  const [one] = page;
  return promised(
    page.length === 1 &&
      terminal.length === 1 &&
      one?.state === 'open' &&
      isAt(one.since, truth.since) &&
      isAt(one.last, truth.last) &&
      isCount(one.calls?.failed, calls.failed) &&
      isCount(one.calls?.total, calls.total) &&
      isTold(fleet, 'incident.opened') === 1 &&
      isTold(fleet, 'incident.ended') === 0,
    {
      ...{ incidents: page.length, 'failed calls': one?.calls?.failed ?? 0, 'in truth': calls.failed },
      ...{ calls: one?.calls?.total ?? 0, 'calls in truth': calls.total, webhooks: fleet.told.length },
    },
  );
}

const flapping: BenchRow = {
  id: 'incidents-flapping',
  name: 'a service fails for 5 s and is well for 5 s, again and again: one incident, told once',
  run: flap,
};

async function aFifth(bench: FaultBench) {
  const { fleet, late } = await spendNight(bench, {
    begin: ({ people }) => people.inject({ manner: 'slow', share: 0.2 }),
    end: ({ people }) => people.inject({ manner: 'well' }),
  });
  const truth = callsOf(fleet.people.log);
  const all = [late.page.incidents, late.json.incidents];
  const [one] = late.page.incidents;
  return promised(
    all.every(
      ([found, ...more]) =>
        more.length === 0 &&
        found?.kind === 'slow' &&
        isAt(found.since, truth.since) &&
        isCount(found.calls?.failed, truth.calls.failed) &&
        isCount(found.calls?.total, truth.calls.total),
    ),
    {
      ...{ incidents: namesOf(late.page.incidents).join(', '), 'slow calls': one?.calls?.failed ?? 0 },
      ...{
        'in truth': truth.calls.failed,
        share: one?.calls?.share ?? 0,
        'share in truth': truth.calls.failed / truth.calls.total,
      },
    },
  );
}

const aFifthSlow: BenchRow = {
  id: 'incidents-share',
  name: 'a fifth of the calls of a service is slow: one incident, with this share',
  run: aFifth,
};

async function oneHost(bench: FaultBench) {
  const { fleet, early, over, from, until } = await spendNight(
    bench,
    { begin: ({ people }) => people.power(1, false), end: ({ people }) => people.power(1, true) },
    { hosts: 3 },
  );
  const dead = (fleet.people.origins[1] ?? '').replace('http://', '');
  // No call arrived there while it was dead, so it logs none.
  const isDead = fleet.people.log.every(({ host, at }) => host !== dead || at <= from || at >= until);
  const found = [early.page, early.json].map(({ incidents }) => incidents);
  const text = early.text.get(found[1]?.[0]?.id ?? '') ?? '';
  return promised(
    isDead &&
      found.every((all) => namesOf(all).join() === 'source people' && all[0]?.hosts[0]?.host === dead) &&
      found.every((all) => all[0]?.hosts.slice(1).every(({ failed }) => failed === 0) === true) &&
      found.every((all) => all[0]?.text.includes(dead) === true && isAt(all[0].since, from)) &&
      text.includes(dead) &&
      openIn(over.page).length === 0,
    {
      incidents: namesOf(found[0] ?? []).join(', '),
      says: found[0]?.[0]?.text ?? '',
      dead,
      open: openIn(over.page).length,
    },
  );
}

const deadHost: BenchRow = {
  id: 'incidents-host',
  name: 'one of three hosts of a service is dead: one incident that names the host',
  run: oneHost,
};

async function healthy(bench: FaultBench) {
  const fleet = await startFleet(bench);
  const rounds = bench.long ? 360 : 9;
  const seen: IncidentView[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await sleep(10_000);
    await fleet.reload(round % 2, `${round} per 1s`);
    const { page, terminal } = await listed(fleet);
    seen.push(...page, ...terminal);
  }
  const failed = fleet.callers.log.filter(({ status }) => status !== 200).length;
  return promised(seen.length === 0 && fleet.told.length === 0 && failed === 0, {
    ...{ reloads: rounds, answers: fleet.callers.log.length, 'answers that failed': failed },
    ...{ incidents: namesOf(seen).join(', ') || 'none', webhooks: fleet.told.length },
  });
}

const none: BenchRow = {
  id: 'incidents-none',
  name: 'callers ask and operators reload: no incident',
  run: healthy,
};

async function drain(bench: FaultBench) {
  const fleet = await startFleet(bench);
  await sleep(WARM_MS);
  const [one] = fleet.gateways;
  fleet.callers.leave(one?.url ?? '');
  one?.process.signal('SIGTERM');
  await one?.process.ended;
  const seen: IncidentView[] = [];
  for (let round = 0; round < 10; round += 1) {
    await sleep(3_000);
    seen.push(...(await fleet.incidents(1)).incidents);
  }
  const failed = fleet.callers.log.filter(({ status }) => status !== 200).length;
  return promised(seen.length === 0 && fleet.told.length === 0 && failed === 0, {
    ...{ incidents: namesOf(seen).join(', ') || 'none', webhooks: fleet.told.length },
    ...{ answers: fleet.callers.log.length, 'answers that failed': failed },
  });
}

const drained: BenchRow = {
  id: 'incidents-drained',
  name: 'a replica is drained: no incident',
  run: drain,
};

/** Faults that come together, come and go, or hit a part; and what is no fault. */
export const patternRows: readonly BenchRow[] = [
  two,
  flapping,
  ...againRows,
  aFifthSlow,
  deadHost,
  starving,
  none,
  drained,
];
