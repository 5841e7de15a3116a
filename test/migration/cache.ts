import { createRandom } from '../../src/cli/demo/data/random.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { marked } from './harness/model-service.ts';
import { forEachOf, type MigratingFleet, startMigratingFleet } from './harness/migrating-fleet.ts';

const REQUESTS = 100_000;

/** Questions of many callers, of which each path is asked by callers of both sources. */
function questionsOf(fleet: MigratingFleet, count: number) {
  const random = createRandom(3);
  return Array.from({ length: count }, () => {
    const id = fleet.users[random.below(200)]?.id ?? '';
    const path = random.chance(0.8)
      ? `/v1/users/${id}`
      : `/v1/users?limit=5&page=${String(1 + random.below(40))}`;
    return { path, caller: random.below(fleet.callers.length) };
  });
}

/** Calls that a source has answered for comparisons, over all gateways: also such as read the legacy source again. */
async function shadowsOf({ gateways }: MigratingFleet): Promise<number> {
  const texts = await Promise.all(gateways.map((gateway) => gateway.metrics()));
  const counts = texts
    .join('\n')
    .matchAll(/^portico_migration_upstream_seconds_count\{.*shadow="true".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

const origins: BenchRow = {
  id: 'cache-1',
  name: 'callers of both sources share a cache of four replicas: no body reaches a caller of the other one, and none a rollback',
  async run(bench) {
    const fleet = await startMigratingFleet(bench, { keys: 100 });
    fleet.next.faults.change = marked;
    const callsOf = () => fleet.legacy.upstream.calls + fleet.next.upstream.calls;
    const questions = questionsOf(fleet, bench.long ? REQUESTS : REQUESTS / 2);
    const ask = ({ path, caller }: (typeof questions)[number]) => fleet.ask(path, fleet.callers[caller]);
    const distinct = new Set(questions.map(({ path }) => path)).size;
    await fleet.goTo('ramp users --percent 50');
    const probe = fleet.users[999]?.id ?? '';
    const isNew = (await forEachOf(fleet.callers, 8, (key) => fleet.ask(`/v1/users/${probe}`, key))).map(
      (answer) => answer.isNew,
    );
    await bench.sleep(1_000);
    const [before, shadowsBefore] = [callsOf(), await shadowsOf(fleet)];
    const answers = await forEachOf(questions, 16, ask);
    const crossed = answers.filter((answer, at) => answer.isNew !== isNew[questions[at]?.caller ?? 0]).length;
    const errors = answers.filter(({ status }) => status !== 200).length;
    await bench.sleep(1_000);
    const shadows = ((await shadowsOf(fleet)) - shadowsBefore) / distinct;
    const calls = (callsOf() - before) / distinct - shadows;
    await fleet.operate('rollback users');
    await bench.sleep(1_000);
    const after = await forEachOf(questions.slice(0, 5_000), 16, ask);
    const kept = after.filter((answer) => answer.isNew).length;
    return promised(crossed === 0 && errors === 0 && kept === 0 && calls <= 2, {
      requests: questions.length,
      'bodies of the other source': crossed,
      errors,
      'new bodies a second after the rollback': kept,
      'calls for a distinct question, both sources': calls.toFixed(2),
      'shadows besides': shadows.toFixed(2),
    });
  },
};

/** What the cache keeps of two sources. */
export const cacheRows: readonly BenchRow[] = [origins];
