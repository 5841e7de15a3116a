import assert from 'node:assert/strict';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import {
  type EditConfig,
  noPrevious,
  PREVIOUS,
  startTwoVersions,
  type Version,
} from './harness/two-versions.ts';

const LIMIT = 30;
/** Longer than a process takes to learn of a state. */
const SETTLE_MS = 4_000;
const GOODS = '/v1/products?limit=40';

async function createKey(
  { run }: Version,
  tier: string,
): Promise<{ readonly key: string; readonly id: string }> {
  const terms = ['--label', 'row', '--permissions', 'users:read,products:read', '--tier', tier, '--json'];
  return JSON.parse(await run('keys', 'create', ...terms)) as { key: string; id: string };
}

const statusOf = async ({ gateway }: Version, path: string, key: string) => {
  const answer = await fetch(gateway.url + path, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
};

/** The body of an answer, without the id of the request in an error. */
const bodyOf = async ({ gateway }: Version, path: string, key: string) => {
  const answer = await fetch(gateway.url + path, { headers: { Authorization: `Bearer ${key}` } });
  return `${answer.status} ${(await answer.text()).replace(/"request_id":"[^"]*"/, '')}`;
};

/** Paths of every kind of question, asked of both versions in turn. */
const PATHS = [
  ...Array.from({ length: 10 }, (_, page) => `/v1/users?limit=20&page=${page + 1}`),
  ...['name', '-name', 'created_at', '-email'].map((sort) => `/v1/users?limit=50&sort=${sort}`),
  ...Array.from({ length: 10 }, (_, id) => `/v1/users/user_${id + 1}`),
  ...Array.from({ length: 6 }, (_, page) => `/v1/products?limit=30&page=${page + 1}`),
  ...[
    '/v1/products?min_price=10&limit=10',
    '/v1/users/user_999999',
    '/v1/users?limit=0',
    '/v1/products?sort=price',
  ],
];

type Pair = readonly [one: Version, other: Version];

/** Asks both versions everything, each first in turn; how many answers differ. */
async function countDiffering([before, now]: Pair, key: string): Promise<number> {
  let differing = 0;
  for (const [index, path] of [...PATHS, ...PATHS].entries()) {
    const [first, second] = index % 2 === 0 ? [before, now] : [now, before];
    if ((await bodyOf(first, path, key)) !== (await bodyOf(second, path, key))) differing += 1;
  }
  return differing;
}

/** How often one took an answer of the other in Redis for a damaged one. */
async function countDamaged(pair: Pair): Promise<number> {
  const damaged = ({ gateway }: Version) => gateway.counted('portico_cache_events_total', 'result="damaged"');
  const counts = await Promise.all(pair.map(damaged));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Asks both in turn twice as often as a key may; how often it was admitted. */
async function countAdmitted([before, now]: Pair, key: string): Promise<number> {
  let admitted = 0;
  for (let count = 0; count < 2 * LIMIT; count += 1)
    if ((await statusOf(count % 2 === 0 ? before : now, GOODS, key)) === 200) admitted += 1;
  return admitted;
}

/** Revokes a key by the commands of one version; after how many milliseconds the other refuses it. */
async function revoke(bench: FaultBench, [one, other]: Pair): Promise<number> {
  const { key, id } = await createKey(one, 'roomy');
  assert.equal(await statusOf(other, GOODS, key), 200);
  await one.run('keys', 'revoke', id);
  return bench.until(async () => (await statusOf(other, GOODS, key)) === 401);
}

/** Purges by one version, until the other asks the source again for what it had kept. */
async function purge(bench: FaultBench, [one, other]: Pair, key: string): Promise<void> {
  const calls = () => other.gateway.counted('portico_upstream_calls_total', 'source="catalog"');
  await statusOf(other, GOODS, key);
  const before = await calls();
  await one.run('cache', 'purge', '--tag', 'products');
  await bench.until(
    async () => (await statusOf(other, GOODS, key)) === 200 && (await calls()) > before,
    8_000,
    200,
  );
}

/** Moves the users by each version in turn, until the other serves by it. */
async function move(bench: FaultBench, [before, now]: Pair): Promise<number> {
  const steps: readonly (readonly [Version, string, Version, number])[] = [
    [before, 'shadow users --force', now, 1],
    [now, 'ramp users --percent 50 --force', before, 2],
    [before, 'rollback users', now, 1],
  ];
  await before.run('migration', 'create', 'users', '--gateway', before.gateway.adminUrl);
  for (const [by, words, other, stage] of steps) {
    await by.run('migration', ...words.split(' '), '--reason', 'row', '--gateway', by.gateway.adminUrl);
    const seen = () => other.gateway.counted('portico_migration_stage', 'operation="users.list"');
    await bench.until(async () => (await seen()) === stage, 20_000, 100);
  }
  return steps.length;
}

const beside: BenchRow = {
  id: 'upgrade-1',
  name: 'the version before and this one, on one Redis: equal answers, one count of limits, and keys, revocations, purges and steps of a migration of each hold in the other',
  skip: noPrevious,
  async run(bench) {
    const { before, now } = await startTwoVersions(bench);
    const [pair, reversed]: readonly [Pair, Pair] = [
      [before, now],
      [now, before],
    ];
    const { key } = await createKey(before, 'roomy');
    const differing = await countDiffering(pair, key);
    const admitted = await countAdmitted(pair, (await createKey(now, 'few')).key);
    const revokedMs = Math.max(await revoke(bench, pair), await revoke(bench, reversed));
    await purge(bench, pair, key);
    await purge(bench, reversed, key);
    const steps = await move(bench, pair);
    const moved = await countDiffering(pair, key);
    const damaged = await countDamaged(pair);
    return promised(differing + moved + damaged === 0 && admitted <= LIMIT && admitted >= LIMIT * 0.9, {
      ...{ commit: PREVIOUS.slice(0, 7), answers: 8 * PATHS.length, wrong: differing + moved, damaged },
      ...{ [`admitted of ${LIMIT}`]: admitted, 'revoked in the other ms': revokedMs, purges: 2, steps },
    });
  },
};

const revOf = ({ gateway }: Version) => gateway.counted('portico_migration_rev', 'resource="users"');

/** A changed file of a source, which this version reads first: the comparison counts begin anew once, and nobody undoes that. */
async function changeSource(bench: FaultBench, [before, now]: Pair, edit: EditConfig): Promise<number> {
  const own = (version: Version) => ['--reason', 'row', '--gateway', version.gateway.adminUrl];
  await before.run('migration', 'create', 'users', '--gateway', before.gateway.adminUrl);
  await before.run('migration', 'shadow', 'users', '--force', ...own(before));
  await bench.until(async () => (await revOf(now)) === (await revOf(before)));
  const rev = await revOf(now);
  edit('config/sources/people.yaml', 'timeout: 5s', 'timeout: 6s');
  // What is recorded of the service is not asked by the other parameter, so a reload would be refused.
  edit('config/sources/catalog.yaml', '{ kat:', '{ cat:');
  const { outcome } = await now.gateway.reload();
  assert.equal(outcome.kind, 'applied', JSON.stringify(outcome));
  await bench.until(async () => (await revOf(now)) === rev + 1 && (await revOf(before)) === rev + 1);
  await bench.sleep(SETTLE_MS);
  assert.deepEqual([await revOf(now), await revOf(before)], [rev + 1, rev + 1], 'it is renewed once');
  const lines = (await now.run('audit', '--json'))
    .split('\n')
    .filter((line) => line.includes('migrations.source'));
  assert.equal(lines.length, 1, 'the audit has one line of it');
  return lines.length;
}

const disabled: BenchRow = {
  id: 'upgrade-2',
  name: 'the version before and this one: a claim disabled in one is disabled in the other, answers stay equal, and a changed source file of a migration begins its comparison counts anew once',
  skip: noPrevious,
  async run(bench) {
    // The service knows no such parameter: it leaves the filter out, and the first reply shows that.
    const { before, now, edit } = await startTwoVersions(bench, (prepare) =>
      prepare('config/sources/catalog.yaml', "query: { cat: '{value}' }", "query: { kat: '{value}' }"),
    );
    const { key } = await createKey(before, 'roomy');
    const disabledIn = ({ gateway }: Version) => gateway.counted('portico_claims_fallen', 'source="catalog"');
    const path = '/v1/products?category=Books&limit=20';
    const first = await bodyOf(now, path, key);
    assert.match(first, /^200 /);
    assert.equal(await disabledIn(now), 1);
    const seenMs = await bench.until(async () => (await disabledIn(before)) === 1, 20_000, 100);
    assert.equal(await bodyOf(before, path, key), first);
    const renewed = await changeSource(bench, [before, now], edit);
    const differing = await countDiffering([before, now], key);
    return promised(differing === 0, {
      'disabled in the other ms': seenMs,
      'lines of the audit': renewed,
      wrong: differing,
    });
  },
};

/** A rolling upgrade. */
export const upgradeRows: readonly BenchRow[] = [beside, disabled];
