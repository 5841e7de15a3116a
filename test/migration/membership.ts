import type { FaultBench } from '../faults/harness/bench.ts';
import type { OperationRow } from '../operations/row.ts';
import { forEachOf, type MigratingFleet, startMigratingFleet } from './harness/migrating-fleet.ts';

const LIMITS = [10, 20, 50] as const;
const MIGRATION = {
  recheck: { delay: '200ms', maxRps: 1_000 },
  shadow: { maxRps: 1_000, concurrency: 64, timeout: '30s' },
};

type Group = { readonly path: string; readonly kind: string; readonly count: number };

/** The ids that the new service lacks, and those that it alone has. */
function spoil({ users, legacy, next }: MigratingFleet) {
  const idsAt = (...places: readonly number[]) => places.map((at) => users[at]?.id ?? '');
  const [missing, extra] = [idsAt(3, 250, 700), idsAt(100, 480)];
  next.faults.change = (user) => (missing.includes(user.id) ? undefined : user);
  legacy.faults.change = (user) => (extra.includes(user.id) ? undefined : user);
  return { missing, extra };
}

/** Asks for every page of the list in three sizes, and waits until the comparisons are over. */
async function askAllPages(bench: FaultBench, fleet: MigratingFleet): Promise<void> {
  const paths = LIMITS.flatMap((limit) =>
    Array.from({ length: 900 / limit }, (_, at) => `/v1/users?sort=id&limit=${limit}&page=${at + 1}`),
  );
  await forEachOf(paths, 4, (path) => fleet.ask(path));
  let calls = -1;
  await bench.until(
    () => {
      const before = calls;
      calls = fleet.next.upstream.calls;
      return calls === before;
    },
    60_000,
    2_000,
  );
}

async function groupsOf(fleet: MigratingFleet): Promise<readonly string[]> {
  const { differences } = (await fleet.operate('diffs users')) as { differences: readonly Group[] };
  return differences.map(({ path, kind, count }) => `${path} ${kind} ${count}`).sort();
}

const shifted: OperationRow = {
  id: 'membership-1',
  name: '3 missing and 2 extra records of 1,000, every page of three sizes asked for: 3 and 2 are told, and the total once for each size',
  fast: false,
  async run(bench) {
    const fleet = await startMigratingFleet(bench, { gateways: 2, migration: MIGRATION });
    spoil(fleet);
    await fleet.goTo('shadow users');
    await askAllPages(bench, fleet);
    const groups = await groupsOf(fleet);
    const { compare } = (await fleet.operate('status users')) as {
      compare: Readonly<
        Record<string, { readonly keys: number; readonly mismatchedKeys: number } | undefined>
      >;
    };
    const { keys = 0, mismatchedKeys = 0 } = compare['users.list'] ?? {};
    const expected = ['data[].id extra_id 2', 'data[].id missing_id 3', 'meta.total total 3'];
    return {
      ok: groups.join() === expected.join() && mismatchedKeys <= 3 * (5 + 1),
      figure: { groups: groups.join('; '), 'questions that differ': `${mismatchedKeys} of ${keys}` },
    };
  },
};

const values: OperationRow = {
  id: 'membership-2',
  name: 'the opposite: a field that differs in each record is told for each of them, and the ids of both lists are the same',
  fast: false,
  async run(bench) {
    const fleet = await startMigratingFleet(bench, { gateways: 2, migration: MIGRATION });
    fleet.next.faults.change = (user) => ({ ...user, email: user.email && `x${user.email}` });
    await fleet.goTo('shadow users');
    await askAllPages(bench, fleet);
    const groups = await groupsOf(fleet);
    const [first = ''] = groups;
    const count = Number(first.split(' ').at(-1));
    return {
      ok: groups.length === 1 && first.startsWith('data[].email value') && count >= 700,
      figure: { first },
    };
  },
};

/** Rows about records that only one of the two sources has. */
export const membershipRows: readonly OperationRow[] = [shifted, values];
