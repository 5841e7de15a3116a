import type { FaultBench } from '../faults/harness/bench.ts';
import { runCommand } from '../support/command/run-command.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
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

/** A fleet in shadow that was asked for every page; `prepare` first makes the two services differ. */
async function compareAllPages(bench: FaultBench, prepare: (fleet: MigratingFleet) => void) {
  const fleet = await startMigratingFleet(bench, { gateways: 2, migration: MIGRATION });
  prepare(fleet);
  await fleet.goTo('shadow users');
  await askAllPages(bench, fleet);
  return { fleet, groups: await groupsOf(fleet) };
}

const shifted: BenchRow = {
  id: 'membership-1',
  name: '3 missing and 2 extra records of 1,000, every page of three sizes asked for: 3 and 2 are reported, and the total once for each size',
  async run(bench) {
    const { fleet, groups } = await compareAllPages(bench, spoil);
    const { compare } = await fleet.status();
    const { keys = 0, mismatchedKeys = 0 } = compare['users.list'] ?? {};
    const expected = ['data[].id extra_id 2', 'data[].id missing_id 3', 'meta.total total 3'];
    return promised(groups.join() === expected.join() && mismatchedKeys <= 3 * (5 + 1), {
      groups: groups.join('; '),
      'questions that differ': `${mismatchedKeys} of ${keys}`,
    });
  },
};

const values: BenchRow = {
  id: 'membership-2',
  name: 'the opposite: a field that differs in each record is reported for each of them, and the ids of both lists are the same',
  async run(bench) {
    const { groups } = await compareAllPages(bench, (fleet) => {
      fleet.next.faults.change = (user) => ({ ...user, email: user.email && `x${user.email}` });
    });
    const [first = ''] = groups;
    const count = Number(first.split(' ').at(-1));
    return promised(groups.length === 1 && first.startsWith('data[].email value') && count >= 700, { first });
  },
};

const named: BenchRow = {
  id: 'membership-3',
  name: 'diffs --ids names exactly the 3 missing and the 2 extra records, once, and the audit says who has asked',
  async run(bench) {
    const fleet = await startMigratingFleet(bench, { gateways: 1, migration: MIGRATION });
    const { missing, extra } = spoil(fleet);
    await fleet.goTo('shadow users');
    const [gateway] = fleet.gateways;
    const adminUrl = gateway?.adminUrl ?? '';
    const words = ['migration', 'diffs', 'users', '--ids', '--reason', 'the copy', '--gateway', adminUrl];
    const { code, out } = await runCommand(words);
    const found = out
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { id?: string; kind: string }]))
      // A single record that one source lacks differs by its status, too.
      .flatMap(({ id = '', kind }) => (kind === 'status' ? [] : [`${kind} ${id}`]));
    const expected = [...missing.map((id) => `missing_id ${id}`), ...extra.map((id) => `extra_id ${id}`)];
    const again = await fetch(`${adminUrl}/api/migrations/users/ids`, {
      ...{ method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } },
    });
    const audit = await (await fetch(`${adminUrl}/api/audit`)).text();
    const isAudited = audit.includes('migrations.ids') && audit.includes('the copy');
    const isKept = [...missing, ...extra].some((id) => audit.includes(`${id}\\"`));
    const isExact = found.sort().join() === expected.sort().join();
    return promised(code === 0 && isExact && again.status === 404 && isAudited && !isKept, {
      found: found.join('; '),
      'asked again': again.status,
      audited: String(isAudited),
    });
  },
};

/** Rows about records that only one of the two sources has. */
export const membershipRows: readonly BenchRow[] = [shifted, values, named];
