import type { ReadyConfig } from '../../../../src/cli/input/read-config.ts';
import { parseGateway } from '../../../support/gateway/parse-gateway.ts';
import type { WorkerQuery } from '../../../../src/gateway/workers/messages.ts';
import { createWorkerReloads } from '../../../../src/gateway/workers/two-phase-reload.ts';
import type { WorkerPlan, WorkerSlot } from '../../../../src/gateway/workers/worker-slots.ts';

const files = { gateway: { file: 'portico.yaml', text: '' }, sources: [] };
const texts = { files, references: {} };
const gateway = parseGateway({ portico: 1, resources: {} });
const next: ReadyConfig = { gateway, compiled: [], sources: [], notes: [], texts };
const planOf = (): WorkerPlan => ({ texts, digest: '', workers: 2, drainMs: 0, concurrency: new Map() });

function supervising(workers: readonly WorkerSlot[]) {
  const supervisor = { workers, plan: planOf(), adopt: (plan: WorkerPlan) => void (supervisor.plan = plan) };
  return supervisor;
}

/** A worker that serves, and answers a question when it is told to. */
function servingWorker(id: number) {
  const asked: { query: WorkerQuery; answer: (value?: unknown) => void }[] = [];
  const slot: WorkerSlot = {
    link: {
      process: {
        ...{ id, pid: id, kill: () => void (worker.killed = true), onExit: () => undefined },
        ...{ send: () => Promise.resolve(), onMessage: () => undefined },
      },
      counts: undefined,
      ask: (query) => new Promise((resolve) => asked.push({ query, answer: resolve })),
    },
    ...{ plan: planOf(), startedAt: 0, phase: 'serving' as const },
  };
  const worker = {
    slot,
    killed: false,
    asked: () => asked.map(({ query }) => query.about),
    /** Answers what was asked and not answered yet. */
    answer: async (value?: unknown) => {
      for (const { answer } of asked.splice(0)) answer(value);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return worker;
}

describe('a reload of workers', () => {
  it('waits for a worker that still catches up with the one before: a worker stages one at a time', async () => {
    const workers: WorkerSlot[] = [];
    const reloads = createWorkerReloads({ supervisor: supervising(workers), planOf });
    await (await reloads.stage(next)).apply(1);
    const late = servingWorker(1);
    workers.push(late.slot);
    void reloads.catchUp(late.slot);
    void reloads.catchUp(late.slot);
    expect(late.asked()).toEqual(['stage']);
    const staging = reloads.stage(next);
    await late.answer();
    expect(late.asked()).toEqual(['swap']);
    await late.answer();
    expect(late.asked()).toEqual(['stage']);
    await late.answer();
    const applying = (await staging).apply(60_000);
    expect(late.asked()).toEqual(['swap']);
    await late.answer({ digest: 'of the new one', checks: [] });
    expect(await applying).toEqual({ processes: [{ pid: 1, digest: 'of the new one' }], waitingFor: 0 });
    expect(late.killed).toBe(false);
  });

  it('goes on to the newest configuration where another one comes in force while a worker catches up', async () => {
    const late = servingWorker(1);
    const workers: WorkerSlot[] = [];
    const reloads = createWorkerReloads({ supervisor: supervising(workers), planOf });
    const [first, second] = [await reloads.stage(next), await reloads.stage(next)];
    await first.apply(1);
    workers.push(late.slot);
    const caughtUp = reloads.catchUp(late.slot);
    await second.apply(1);
    for (const about of ['stage', 'swap', 'stage', 'swap']) {
      expect(late.asked()).toEqual([about]);
      await late.answer();
    }
    await caughtUp;
    expect([late.asked(), late.killed]).toEqual([[], false]);
  });
});
