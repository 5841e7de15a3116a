import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { processesOf } from './measures.ts';

/** What `perf` prints for one event, as `value,unit,event,…`; the value is a text where the event cannot be counted. */
function parseCount(output: string): number | undefined {
  const count = Number(/^(\d+),[^,]*,instructions/m.exec(output)?.[1]);
  return Number.isNaN(count) ? undefined : count;
}

const STAT = ['stat', '-x', ',', '-e', 'instructions:u'];

let isCounted: boolean | undefined;

/**
 * Whether this machine counts instructions: Linux' `perf` is installed, and the processor and its owner allow it.
 * Virtual machines often do not.
 */
function countsInstructions(): boolean {
  if (isCounted === undefined) {
    const { error, stderr } = spawnSync('perf', [...STAT, '--', 'true'], { encoding: 'utf8' });
    isCounted = error === undefined && parseCount(stderr) !== undefined;
  }
  return isCounted;
}

/** How long `perf` may take to attach to all threads. Too short a time only makes the count a little too small. */
const ATTACH_MS = 200;

/**
 * Counts the instructions that all threads of a process and of those below it run outside the kernel while something is done. Time and CPU
 * time of a machine that others use say how busy they are; this number hardly depends on them.
 * `count` is `undefined` where the machine does not count.
 */
export async function instructionsWhile<T>(
  pid: number,
  action: () => Promise<T>,
): Promise<{ readonly value: T; readonly count: number | undefined }> {
  if (!countsInstructions()) return { value: await action(), count: undefined };
  const pids = await processesOf(pid);
  const perf = spawn('perf', [...STAT, '-p', pids.join(',')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(perf, 'close');
  let output = '';
  perf.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await delay(ATTACH_MS);
  try {
    const value = await action();
    perf.kill('SIGINT');
    await ended;
    return { value, count: parseCount(output) };
  } finally {
    perf.kill('SIGINT');
  }
}
