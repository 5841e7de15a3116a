import { askSteadily } from '../support/client/steady-load.ts';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { marked } from './harness/model-service.ts';
import { type MigratingFleet, type OriginAnswer, startMigratingFleet } from './harness/migrating-fleet.ts';

const PACE = { perSecond: 200, seconds: 8 };

/** Callers who ask at a steady pace while `work` goes on in their midst; all that they met. */
async function underCallers<T>(bench: FaultBench, fleet: MigratingFleet, work: () => Promise<T>) {
  const path = (n: number) => `/v1/users/${fleet.users[n % fleet.users.length]?.id ?? ''}`;
  const asked = askSteadily(PACE, (n) => fleet.ask(path(n)).catch(() => undefined));
  await bench.sleep(2_000);
  const done = await work();
  const answers = await asked;
  // The first of them says what went wrong; one without a status is a connection that failed.
  const failed = answers.filter((answer) => answer?.status !== 200);
  const errors = failed.length === 0 ? 0 : `${String(failed.length)}, first ${String(failed[0]?.status)}`;
  return { done, errors, answers: answers.filter((answer) => answer !== undefined) };
}

/** How long after a moment the last answer of the new service came, in milliseconds; 0 where none did. */
function lastNewAfter(answers: readonly OriginAnswer[], moment: number): number {
  const late = answers.filter(({ isNew, endedAt }) => isNew && endedAt > moment);
  return Math.max(0, ...late.map(({ endedAt }) => endedAt - moment));
}

/** How many answers of the new service had come by a moment: without any, a rollback would show nothing. */
const newUntil = (answers: readonly OriginAnswer[], moment: number) =>
  answers.filter(({ isNew, endedAt }) => isNew && endedAt < moment).length;

async function startLive(bench: FaultBench): Promise<MigratingFleet> {
  const fleet = await startMigratingFleet(bench, { cache: { fresh: '1s', notFound: '0s' } });
  fleet.next.faults.change = marked;
  await fleet.goTo('ramp users --percent 100');
  return fleet;
}

const byHand: BenchRow = {
  id: 'rollback-1',
  name: 'a rollback by hand under 200 requests a second: no answer of the new source a second after the command, no error',
  async run(bench) {
    const fleet = await startLive(bench);
    const { answers, errors, done } = await underCallers(bench, fleet, async () => {
      await fleet.operate('rollback users');
      const endedAt = performance.now();
      const { replicas } = await fleet.status();
      return { endedAt, replicas };
    });
    const last = lastNewAfter(answers, done.endedAt);
    const before = newUntil(answers, done.endedAt);
    bench.atMost('ms of the new source after the command', last, 1_000);
    return promised(errors === 0 && before > 0, {
      'last new body, ms': last,
      errors,
      replicas: JSON.stringify(done.replicas),
      'new before': before,
    });
  },
};

const withoutMessages: BenchRow = {
  id: 'rollback-2',
  name: 'the same while every connection for messages of Redis is killed all the time: two seconds',
  async run(bench) {
    const fleet = await startLive(bench);
    const state = { over: false, killed: 0 };
    const killing = fleet.gateways[0]?.withStored(async ({ client }) => {
      while (!state.over) {
        state.killed += Number(await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub'));
        await bench.sleep(5);
      }
    });
    const { answers, errors, done } = await underCallers(bench, fleet, async () => {
      await fleet.operate('rollback users');
      return performance.now();
    });
    state.over = true;
    await killing;
    const [last, before] = [lastNewAfter(answers, done), newUntil(answers, done)];
    bench.atMost('ms of the new source after the command', last, 2_000);
    return promised(errors === 0 && state.killed > 0 && before > 0, {
      'last new body, ms': last,
      errors,
      killed: state.killed,
      'new before': before,
    });
  },
};

const withoutRedis: BenchRow = {
  id: 'rollback-3',
  name: 'the same with Redis stopped, by a command to each process: one second for each',
  async run(bench) {
    const fleet = await startLive(bench);
    const { answers, errors, done } = await underCallers(bench, fleet, async () => {
      await fleet.redis.pause();
      for (const gateway of fleet.gateways) await fleet.operate('rollback users --local', gateway);
      return performance.now();
    });
    fleet.redis.resume();
    const [last, before] = [lastNewAfter(answers, done), newUntil(answers, done)];
    bench.atMost('ms of the new source after the last command', last, 1_000);
    return promised(errors === 0 && before > 0, { 'last new body, ms': last, errors, 'new before': before });
  },
};

/** A fleet that has left the legacy source for good. */
async function startComplete(bench: FaultBench): Promise<MigratingFleet> {
  const fleet = await startLive(bench);
  for (const stage of ['live', 'complete']) await fleet.goTo(`${stage} users`);
  return fleet;
}

/** What a command that must not succeed says. */
const refusalOf = (command: Promise<unknown>) =>
  command.then(
    () => 'it was carried out',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  );

const legacyGone: BenchRow = {
  id: 'rollback-4',
  name: 'a forced rollback from complete while the legacy service is switched off: refused, and no caller gets an error',
  async run(bench) {
    const fleet = await startComplete(bench);
    await fleet.legacy.upstream.close();
    const { errors, done } = await underCallers(bench, fleet, () =>
      refusalOf(fleet.operate('rollback users --force')),
    );
    const { stage } = await fleet.status();
    const isRefused = done.includes('old-users does not answer');
    return promised(errors === 0 && isRefused && stage === 'complete', {
      errors,
      refused: String(isRefused),
      stage,
    });
  },
};

const legacyThere: BenchRow = {
  id: 'rollback-5',
  name: 'the same while the legacy service still answers: back at once, no answer of the new source a second later, no error',
  async run(bench) {
    const fleet = await startComplete(bench);
    const { answers, errors, done } = await underCallers(bench, fleet, async () => {
      await fleet.operate('rollback users --force');
      return performance.now();
    });
    const last = lastNewAfter(answers, done);
    bench.atMost('ms of the new source after the command', last, 1_000);
    const { stage } = await fleet.status();
    return promised(errors === 0 && stage === 'shadow', { 'last new body, ms': last, errors, stage });
  },
};

const besideTheJudge: BenchRow = {
  id: 'rollback-6',
  name: 'four people and the judge roll back because of one fault: the resource stays in shadow, in any order',
  async run(bench) {
    const fleet = await startLive(bench);
    fleet.next.faults.failing = 1;
    const { errors } = await underCallers(bench, fleet, async () => {
      // Each of them sees the fault, and looks at another gateway.
      const four = () => fleet.gateways.map((gateway) => refusalOf(fleet.operate('rollback users', gateway)));
      await Promise.all(four());
      await Promise.all(four());
    });
    const { stage } = await fleet.status();
    const forced = (await fleet.operate('rollback users --force')) as { stage: string };
    return promised(errors === 0 && stage === 'shadow' && forced.stage === 'legacy', {
      errors,
      stage,
      'with --force': forced.stage,
    });
  },
};

/** Rollbacks by hand. */
export const rollbackRows: readonly BenchRow[] = [
  ...[byHand, withoutMessages, withoutRedis],
  ...[legacyGone, legacyThere, besideTheJudge],
];
