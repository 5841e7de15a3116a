import { appendFileSync } from 'node:fs';
import type { FaultBench } from '../../faults/harness/bench.ts';
import type { FaultGateway } from '../../faults/harness/gateway.ts';
import { type MigratingFleet, startMigratingFleet } from '../../migration/harness/migrating-fleet.ts';
import { alertFaults } from '../../operations/harness/alert-faults.ts';
import { type AlertTestbed, openAlertTestbed } from '../../operations/harness/alert-testbed.ts';
import { usersSource } from '../../operations/harness/users-source.ts';
import { freePort } from '../../support/process/free-port.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

/** Gateways of every kind that the board has panels for. */
export type WatchedGateways = {
  readonly adminUrls: readonly string[];
  /** Has everything happen to them that a panel shows. */
  suffer(): Promise<void>;
};

/** How long each fault of the alerts lasts here. */
const FAULT_MS = 3_000;
/** How long a difference has to last there. */
const RECHECK_MS = 2_000;
/** So long a process remembers what the new source of a migration has answered. */
const BREAKER_MS = 10_500;

/** A gateway of two workers, whose source has a second host that is not there. */
async function startWorkers(bench: FaultBench): Promise<FaultGateway> {
  const redis = await bench.redis();
  const answer = () => ({
    body: { total: 1, rows: [{ id: 1, name: 'Ada', mail: 'a@example.test', made: null }] },
  });
  const upstream = bench.own(await startUpstream(serving(answer)));
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const sources = { 'people.yaml': usersSource(upstream.origin, `otherUrls: ['${nobody}']`) };
  const users = { source: 'people', cache: { fresh: '0s', notFound: '0s' } };
  const webhooks = [{ url: nobody, secret: 'a-secret-that-nobody-asks-for' }];
  const config = { workers: 2, redis: { url: redis.url }, resources: { users }, webhooks };
  return bench.gateway({ config, sources, truth: () => undefined, mayEnd: true });
}

/** Some records differ for longer than a recheck takes, and some for less, as after a write that comes late. */
async function differ(
  bench: FaultBench,
  { gateways, next }: MigratingFleet,
  ask: (path: string, coding: string) => Promise<void>,
): Promise<void> {
  const [gateway] = gateways as readonly [FaultGateway];
  let id = 100;
  // Of what is asked for at once, the rates and slots of comparisons leave some out.
  async function askSome(): Promise<void> {
    for (let count = 0; count < 5; count += 1) await ask(`/v1/users/user_${(id += 1)}`, 'identity');
  }
  const { change } = next.faults;
  const differing: typeof change = (user) => ({ ...user, email: 'other@example.test' });
  next.faults.change = differing;
  await bench.until(async () => {
    await askSome();
    await bench.sleep(2 * RECHECK_MS);
    return (await gateway.counted('portico_migration_diff_total')) > 0;
  });
  await bench.until(async () => {
    next.faults.change = differing;
    await askSome();
    await bench.sleep(RECHECK_MS / 2);
    next.faults.change = change;
    await bench.sleep(RECHECK_MS);
    return (await gateway.counted('portico_migration_lag_seconds_count')) > 0;
  });
}

/** A resource moves, is compared, fails at its new source, and is rolled back. */
async function move(bench: FaultBench, fleet: MigratingFleet): Promise<void> {
  const [gateway] = fleet.gateways as readonly [FaultGateway];
  const Authorization = `Bearer ${gateway.configuredKey}`;
  const ask = async (path: string, coding: string) => {
    const answer = await fetch(gateway.url + path, { headers: { Authorization, 'Accept-Encoding': coding } });
    await answer.arrayBuffer();
  };
  const askAll = async () => {
    for (let id = 1; id <= 60; id += 1) await ask(`/v1/users/user_${id}`, 'identity');
    // A kept answer is compressed behind the first caller that takes it so.
    for (const coding of ['br', 'gzip', 'br', 'gzip', 'br', 'gzip']) await ask('/v1/users?limit=100', coding);
  };
  await fleet.goTo('shadow users');
  await differ(bench, fleet, ask);
  // The difference is fixed, so the comparison counts begin anew. From here on, the new source fails.
  await fleet.goTo('shadow users');
  await askAll();
  await fleet.goTo('ramp users --percent 100');
  await askAll();
  // The breaker of the process sees ten seconds; with nothing but failures in them, it opens before the judge looks.
  await bench.sleep(BREAKER_MS);
  fleet.next.faults.failing = 1;
  await bench.until(async () => {
    await askAll();
    return JSON.stringify(await fleet.operate('status users')).includes('"hold":{');
  });
}

/** Faults of the alerts, each for a moment. */
async function sufferAll(bench: FaultBench, place: AlertTestbed): Promise<void> {
  for (const { begin, end } of alertFaults) {
    await begin(place);
    await bench.sleep(FAULT_MS);
    await end(place);
    await bench.sleep(FAULT_MS / 3);
  }
}

/** Starts them: two under the faults of the alerts, one whose users move, and one of two workers. */
export async function startWatchedGateways(bench: FaultBench): Promise<WatchedGateways> {
  const place = await openAlertTestbed(bench);
  const cache = { fresh: '5s', notFound: '0s' };
  const moving = await startMigratingFleet(bench, {
    ...{ gateways: 1, users: 400, cache },
    migration: { recheck: { delay: `${RECHECK_MS}ms` } },
  });
  const workers = await startWorkers(bench);
  const gateways = [place.gateway, place.replica, ...moving.gateways, workers];
  return {
    adminUrls: gateways.map(({ adminUrl }) => adminUrl),
    async suffer() {
      for (let count = 0; count < 60; count += 1) await workers.ask('/v1/users?limit=1', { entitled: false });
      appendFileSync(workers.configFile, '\nnonsense: 1\n');
      workers.process.signal('SIGHUP');
      await sufferAll(bench, place);
      await move(bench, moving);
      await bench.sleep(FAULT_MS);
    },
  };
}
