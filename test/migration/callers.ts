import type { FaultBench } from '../faults/harness/bench.ts';
import { ROOMY } from '../faults/harness/secrets.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { forEachOf, type MigratingFleet, startMigratingFleet } from './harness/migrating-fleet.ts';
import type { Faults } from './harness/model-service.ts';

const REQUESTS = 10_000;
const AT_ONCE = 32;

type Status = Awaited<ReturnType<MigratingFleet['status']>>;

/** Conditions of the gate that speak of failures. */
const failuresIn = ({ gate }: Status) =>
  gate.unmet.filter(({ id }) => ['failed', 'cusum', 'fallback'].includes(id)).length;

/** What the gate asks for once the comparisons of earlier questions are over. */
async function gateAtRest(bench: FaultBench, fleet: MigratingFleet): Promise<string> {
  let before = '';
  await bench.until(
    async () => before === (before = JSON.stringify((await fleet.status()).gate.unmet)),
    60_000,
    5_000,
  );
  return before;
}

/** Addresses of callers without a credential. */
const addresses = (count: number) => Array.from({ length: count }, (_, last) => `192.0.2.${last + 1}`);

/** A fleet that callers without a credential may ask, told apart by address, and whose users are at a stage. */
async function startPublic(bench: FaultBench, stage: string, migration: Record<string, unknown> = {}) {
  const fleet = await startMigratingFleet(bench, {
    ...{ users: 2_000, isPublic: true, migration },
    gateway: { listen: { trustProxy: ['127.0.0.1/32'] }, limits: { anonymousTier: ROOMY } },
  });
  await fleet.goTo(stage);
  let turn = 0;
  async function askFrom(address: string, path: string): Promise<number> {
    const gateway = fleet.gateways[(turn += 1) % fleet.gateways.length];
    const headers = { 'x-forwarded-for': address };
    return (await gateway?.ask(path, { key: null, headers }))?.status ?? 0;
  }
  return { fleet, askFrom };
}

/** An odd question: an id that nobody has, or a page far behind the end. */
const oddPath = (number: number) =>
  number % 2 === 0 ? `/v1/users/user_${9_000_000 + number}` : `/v1/users?page=${900_000 + number}`;

/** A new service that fails at what the legacy one answers with 404 or with an empty list. */
const failAtOdd: Faults['failsAt'] = ({ path, query }) =>
  Number(query.get('from') ?? 0) > 1_000_000 || Number(path.split('/')[2] ?? 0) > 1_000_000;

/** A row in which so many callers ask ten thousand odd questions. */
function oddRow(id: string, callers: number): BenchRow {
  const who = callers === 1 ? 'one caller' : `${callers} addresses`;
  return {
    ...{ id, fast: false },
    name: `10,000 odd requests of ${who} at which the new source alone fails: no rollback, the gate unmoved, all reported`,
    async run(bench) {
      const { fleet, askFrom } = await startPublic(bench, 'ramp users --percent 100');
      fleet.next.faults.failsAt = failAtOdd;
      const from = addresses(callers);
      for (const { id: user } of fleet.users.slice(0, 50)) await askFrom('198.51.100.1', `/v1/users/${user}`);
      for (let page = 1; page <= 50; page += 1) await askFrom('198.51.100.1', `/v1/users?page=${page}`);
      const before = await gateAtRest(bench, fleet);
      const numbers = Array.from({ length: REQUESTS }, (_, number) => number);
      const statuses = await forEachOf(numbers, AT_ONCE, (number) =>
        askFrom(from[number % callers] ?? '', oddPath(number)),
      );
      await bench.sleep(5_000);
      const after = await fleet.status();
      const wrong = statuses.filter((status, number) => status !== (number % 2 === 0 ? 404 : 200)).length;
      const rollbacks = after.lastRollback === null ? 0 : 1;
      const odd = after.fallback['odd'] ?? 0;
      const isMoved = JSON.stringify(after.gate.unmet) !== before;
      return promised(rollbacks + wrong + failuresIn(after) === 0 && !isMoved && odd === REQUESTS, {
        rollbacks,
        'other answers': wrong,
        odd,
        gate: isMoved ? `moved from ${before} to ${JSON.stringify(after.gate.unmet)}` : 'unmoved',
      });
    },
  };
}

const inShadow: BenchRow = {
  id: 'callers-3',
  name: 'odd requests of one caller in shadow: counted as odd, and the gate asks for nothing because of them',
  async run(bench) {
    const shadow = { rate: 100, maxRps: 1_000, concurrency: 32 };
    const { fleet, askFrom } = await startPublic(bench, 'shadow users', { shadow });
    fleet.next.faults.failsAt = failAtOdd;
    const users = fleet.users.slice(0, 100);
    await forEachOf(users, 4, ({ id }) => askFrom('198.51.100.1', `/v1/users/${id}`));
    for (let page = 1; page <= 20; page += 1) await askFrom('198.51.100.1', `/v1/users?page=${page}`);
    await bench.until(async () => failuresIn(await fleet.status()) === 0, 30_000, 500);
    const numbers = Array.from({ length: 1_000 }, (_, number) => number);
    await forEachOf(numbers, 4, (number) => askFrom('192.0.2.1', oddPath(number)));
    await bench.sleep(4_000);
    const after = await fleet.status();
    const compared = Object.values(after.compare);
    const odd = compared.reduce((sum, one) => sum + one.odd, 0);
    const failedNew = compared.reduce((sum, one) => sum + one.failedNew, 0);
    return promised(odd >= 100 && failedNew === 0 && failuresIn(after) === 0, {
      odd,
      failedNew,
      'conditions of failures unmet': failuresIn(after),
    });
  },
};

const someRecords: BenchRow = {
  id: 'callers-4',
  name: 'one caller asks for 3,000 times for the few records at which the new source fails: no rollback, no error',
  async run(bench) {
    const { fleet, askFrom } = await startPublic(bench, 'ramp users --percent 100');
    const broken = fleet.users.slice(1_900, 1_950);
    const numbers = new Set(broken.map(({ id }) => id.replace('user_', '')));
    fleet.next.faults.failsAt = ({ path }) => numbers.has(path.split('/')[2] ?? '');
    const asked = Array.from({ length: 3_000 }, (_, number) => broken[number % broken.length]?.id ?? '');
    const statuses = await forEachOf(asked, 4, (id) => askFrom('192.0.2.1', `/v1/users/${id}`));
    await bench.sleep(5_000);
    const { stage, lastRollback, fallback } = await fleet.status();
    const errors = statuses.filter((status) => status !== 200).length;
    const failed = fallback['failed'] ?? 0;
    return promised(stage === 'ramp' && lastRollback === null && errors === 0 && failed >= 4, {
      stage,
      failed,
      errors,
    });
  },
};

/** A row in which one operation of the new source is broken, and one caller alone asks for it. */
function brokenRow(
  id: string,
  name: string,
  failsAt: Faults['failsAt'],
  pathOf: (number: number, fleet: MigratingFleet) => string,
): BenchRow {
  return {
    ...{ id, fast: false },
    name: `${name}, and one caller alone asks: back within 10 s, by questions of Portico's own, and no error`,
    async run(bench) {
      const { fleet, askFrom } = await startPublic(bench, 'ramp users --percent 100');
      const state = { over: false, errors: 0, asked: 0 };
      async function askOn(): Promise<void> {
        for (; !state.over; state.asked += 1) {
          const status = await askFrom('192.0.2.1', pathOf(state.asked, fleet)).catch(() => 0);
          if (status !== 200) state.errors += 1;
          await bench.sleep(100);
        }
      }
      const asking = askOn();
      await bench.sleep(4_000);
      fleet.next.faults.failsAt = failsAt;
      const startedAt = performance.now();
      await bench.until(async () => (await fleet.status()).stage === 'shadow', 20_000, 250);
      const seconds = (performance.now() - startedAt) / 1_000;
      state.over = true;
      await asking;
      const { lastRollback } = await fleet.status();
      bench.atMost('s until the rollback', seconds, 10);
      return promised(
        state.errors === 0 && lastRollback?.rule === 'failures' && lastRollback.evidence.includes('own'),
        {
          s: Number(seconds.toFixed(1)),
          errors: state.errors,
          evidence: lastRollback?.evidence ?? 'none',
        },
      );
    },
  };
}

const isDetail: Faults['failsAt'] = ({ path }) => path.startsWith('/users/');
const detailPath = (number: number, { users }: MigratingFleet) =>
  `/v1/users/${users[number % users.length]?.id ?? ''}`;
const listPath = (number: number) => `/v1/users?page=${1 + (number % 100)}&limit=${1 + (number % 19)}`;

/** Rows about one caller against all: odd questions stop nothing, and a broken source is found by whoever asks. */
export const callerRows: readonly BenchRow[] = [
  oddRow('callers-1', 1),
  oddRow('callers-2', 50),
  inShadow,
  someRecords,
  brokenRow(
    'callers-5',
    'the detail view of the new source is broken, its list is sound',
    isDetail,
    detailPath,
  ),
  brokenRow('callers-6', 'the list of the new source is broken', (asked) => !isDetail(asked), listPath),
];
