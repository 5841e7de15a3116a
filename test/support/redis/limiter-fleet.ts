import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DecidedBy, Tier } from '../../../src/store/limiter/limiter.ts';

/** What a process of the fleet is told. */
export type LimiterTask = {
  readonly url: string;
  readonly prefix: string;
  readonly tiers: Readonly<Record<string, Tier>>;
  readonly seed: number;
  readonly milliseconds: number;
};

/** One decision; times in milliseconds since the epoch, by the clock that all processes share. */
export type LimiterLog = {
  readonly tier: string;
  readonly asked: number;
  readonly decided: number;
  readonly allowed: boolean;
  readonly by: DecidedBy;
};

/** Runs the task in several processes at once, each with a seed of its own, and puts their logs together. */
export async function runLimiterFleet(task: LimiterTask, processes: number): Promise<readonly LimiterLog[]> {
  const run = promisify(execFile);
  const runs = Array.from({ length: processes }, async (_, index) => {
    const own = JSON.stringify({ ...task, seed: task.seed + 1_000 * index });
    const args = ['test/support/redis/limiter-process.ts', own];
    const { stdout } = await run('node_modules/.bin/node', args, { maxBuffer: 256 * 1024 ** 2 });
    return JSON.parse(stdout) as LimiterLog[];
  });
  return (await Promise.all(runs)).flat().sort((a, b) => a.decided - b.decided);
}
