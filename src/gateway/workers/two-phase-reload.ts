// Reloads all workers in two phases, so that either all of them serve a new configuration or none does.

import type { Acknowledged, SoundConfig, StagedReload } from '../reload/reload-outcome.ts';
import type { WorkerQuery, WorkerState } from './messages.ts';
import type { Supervisor } from './supervisor.ts';
import type { WorkerPlan, WorkerSlot } from './worker-slots.ts';

/** A worker compiles a configuration in about a second, but may first have to wait until an old snapshot is closed. */
const STAGE_MS = 60_000;
const SWAP_MS = 30_000;

type Asked = { readonly slot: WorkerSlot; readonly answer: PromiseSettledResult<unknown> };

/** Asks some workers. Workers that have ended meanwhile are left out, because their successors start with the plan in force. */
async function askAll(
  { workers }: Pick<Supervisor, 'workers'>,
  slots: readonly WorkerSlot[],
  query: WorkerQuery,
  ms: number,
): Promise<readonly Asked[]> {
  const answers = await Promise.allSettled(slots.map(({ link }) => link.ask(query, Math.max(ms, 1))));
  const asked = slots.map((slot, at) => ({ slot, answer: answers[at] as PromiseSettledResult<unknown> }));
  return asked.filter(({ slot }) => workers.includes(slot));
}

/** The workers that have answered which configuration they serve, and how many have not. */
function acknowledgedBy(asked: readonly Asked[]): Acknowledged {
  const processes = asked.flatMap(({ slot: { link }, answer }) =>
    answer.status === 'fulfilled'
      ? [{ pid: link.process.pid ?? 0, digest: (answer.value as WorkerState).digest }]
      : [],
  );
  return { processes, waitingFor: asked.length - processes.length };
}

/** Asks again a worker that has not answered, because it may still swap. If it serves another configuration, it is killed. */
async function confirm(slot: WorkerSlot, plan: WorkerPlan): Promise<void> {
  const asked = slot.link.ask({ about: 'state' }, SWAP_MS) as Promise<WorkerState>;
  const state = await asked.catch(() => undefined);
  if (state?.digest === plan.digest) slot.plan = plan;
  else slot.link.process.kill();
}

/**
 * Creates the reload of all workers of a primary: first all workers compile a configuration (`stage`), then all put it in force
 * (`swap`), without a restart. `supervisor` gets the next plan when the workers swap, so a worker that is forked while the
 * others compile still starts with the plan in force.
 */
export function createWorkerReloads({
  supervisor,
  planOf,
}: {
  readonly supervisor: Pick<Supervisor, 'workers' | 'plan' | 'adopt'>;
  readonly planOf: (config: SoundConfig) => WorkerPlan;
}) {
  let lastNumber = 0;
  const catchingUp = new Map<WorkerSlot, Promise<void>>();
  const servingSlots = () => supervisor.workers.filter(({ phase }) => phase === 'serving');

  async function bringUpToDate(slot: WorkerSlot): Promise<void> {
    try {
      // In a loop, because another configuration may come into force meanwhile.
      while (slot.plan !== supervisor.plan) {
        const { plan } = supervisor;
        const number = (lastNumber += 1);
        await slot.link.ask({ about: 'stage', number, texts: plan.texts }, STAGE_MS);
        await slot.link.ask({ about: 'swap', number }, SWAP_MS);
        slot.plan = plan;
      }
    } catch {
      slot.link.process.kill();
    } finally {
      catchingUp.delete(slot);
    }
  }

  /**
   * Brings a worker up to date that was started with an earlier configuration, and kills it if that fails. A worker stages one
   * configuration at a time, so a second call only waits for the first call.
   */
  function catchUp(slot: WorkerSlot): Promise<void> {
    const underWay = catchingUp.get(slot);
    if (underWay !== undefined) return underWay;
    if (slot.plan === supervisor.plan) return Promise.resolve();
    const begun = bringUpToDate(slot);
    catchingUp.set(slot, begun);
    return begun;
  }

  async function apply(number: number, slots: readonly WorkerSlot[], plan: WorkerPlan, waitMs: number) {
    supervisor.adopt(plan);
    const others = servingSlots().filter((slot) => !slots.includes(slot));
    for (const slot of others) void catchUp(slot);
    const asked = await askAll(supervisor, slots, { about: 'swap', number }, waitMs);
    for (const { slot, answer } of asked) {
      if (answer.status === 'fulfilled') slot.plan = plan;
      else void confirm(slot, plan);
    }
    return acknowledgedBy(asked);
  }

  /** Makes every worker compile a configuration. @throws Error with a worker's problem; then no worker keeps the configuration */
  async function stage(next: SoundConfig): Promise<StagedReload> {
    const plan = planOf(next);
    // Waits first, because a worker keeps only one staged configuration: one that is catching up would lose it.
    await Promise.all(catchingUp.values());
    const number = (lastNumber += 1);
    const query = { about: 'stage', number, texts: plan.texts } as const;
    const asked = await askAll(supervisor, servingSlots(), query, STAGE_MS);
    const slots = asked.map(({ slot }) => slot);
    const discard = () => askAll(supervisor, slots, { about: 'discard', number }, SWAP_MS);
    for (const { slot, answer } of asked) {
      if (answer.status === 'fulfilled') continue;
      await discard();
      const { message } = answer.reason as Error;
      throw new Error(`worker ${slot.link.process.pid ?? 0} cannot serve the new configuration: ${message}`);
    }
    return { apply: (waitMs) => apply(number, slots, plan, waitMs), discard };
  }

  return {
    stage,
    catchUp,
    /** Asks the serving workers which configuration they serve. */
    serving: async (waitMs: number) =>
      acknowledgedBy(await askAll(supervisor, servingSlots(), { about: 'state' }, waitMs)),
  };
}
