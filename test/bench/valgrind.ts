// Counts the instructions of a server in Valgrind, where the machine itself does not count them (instructions.ts).

import { execFile, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Load, median, sendLoad } from './rounds.ts';
import type { Comparison, Server } from './side-by-side.ts';

const run = promisify(execFile);

/** How much slower a program runs in Valgrind, about. Its clock is slowed down as much, so that its timers and deadlines keep their share. */
const SLOWER = 40;

function libfaketime(): string {
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
  if (library === undefined) throw new Error('`libfaketime` is not installed (Debian: `faketime`)');
  return library;
}

/**
 * What stands before the command of a server, so that Valgrind can count what it runs; nothing is counted before it is asked
 * to. `folder` is where counts are written.
 * @throws Error if a program is missing
 */
export function valgrindPrefix(folder: string): readonly string[] {
  if (spawnSync('valgrind', ['--version']).status !== 0) throw new Error('`valgrind` is not installed');
  return [
    ...['env', `LD_PRELOAD=${libfaketime()}`, `FAKETIME=+0 x${String(1 / SLOWER)}`],
    // Go interrupts its threads by signals; Callgrind ends if one comes while another one is handled.
    'GODEBUG=asyncpreemptoff=1',
    // A JIT compiler writes code over code.
    ...['valgrind', '--quiet', '--tool=callgrind', '--instr-atstart=no', '--smc-check=all-non-file'],
    `--callgrind-out-file=${join(folder, 'instructions.%p')}`,
  ];
}

/** Gives a command of callgrind to a process that runs in it. */
const control = (pid: number, ...command: readonly string[]) =>
  run('vgdb', [`--pid=${String(pid)}`, ...command]);

/** Turns counting on or off. What is not counted runs about three times as fast. */
async function setCounting(pid: number, isOn: boolean): Promise<void> {
  await control(pid, 'instrumentation', isOn ? 'on' : 'off');
}

/** Instructions that all threads of a process in Valgrind run while something is done. */
async function countWhile<T>(
  pid: number,
  folder: string,
  action: () => Promise<T>,
): Promise<{ readonly value: T; readonly count: number }> {
  await control(pid, 'zero');
  const value = await action();
  await control(pid, 'dump');
  const dumps = (await readdir(folder)).filter((name) => name.startsWith(`instructions.${String(pid)}.`));
  let count = 0;
  for (const name of dumps) {
    const file = join(folder, name);
    count += Number(/^(?:totals|summary): (\d+)/m.exec(await readFile(file, 'utf8'))?.[1]);
    await rm(file);
  }
  if (count === 0) throw new Error(`Valgrind has counted nothing in process ${String(pid)}`);
  return { value, count };
}

/** How servers are counted. */
export type Counting = {
  readonly folder: string;
  /** How much a server answers before it is counted: until the compiler has seen everything. */
  readonly warmAnswers: number;
};

/** How much a server answers in a round, so that the compiler's late work is a small part of it. */
const ROUND_ANSWERS = 500;
/** A miss has so much more to run. */
const DISTINCT_SHARE = 0.3;
/** Its clock is slow, so a server takes a connection for open that another one has closed. */
const FAILED_SHARE_MAX = 0.05;

/** Loads a server until it has answered about so often; answers how often it was. */
async function loadUntil({ target }: Server, connections: number, wanted: number): Promise<number> {
  const least = target.distinct ? wanted * DISTINCT_SHARE : wanted;
  let answers = 0;
  while (answers < least)
    answers += (await sendLoad(target, { seconds: 4, connections }, FAILED_SHARE_MAX)).answers;
  return answers;
}

const counted = new WeakMap<Server, readonly number[]>();

/** Instructions of an answer, round by round. A server that is compared again is not counted again. */
async function countsOf(server: Server, rounds: number, { connections }: Load, counting: Counting) {
  const known = counted.get(server);
  if (known !== undefined) return known;
  const { target, pid } = server;
  await loadUntil(server, connections, counting.warmAnswers);
  await setCounting(pid, true);
  // Valgrind translates the code again.
  await loadUntil(server, connections, 1);
  const counts: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const answered = () => loadUntil(server, connections, ROUND_ANSWERS);
    const { value, count } = await countWhile(pid, counting.folder, answered);
    counts.push(count / value);
  }
  await setCounting(pid, false);
  counted.set(server, counts);
  console.error(`${target.name}: ${counts.map((count) => (count / 1_000).toFixed(1)).join(' ')} thousand`);
  return counts;
}

/** Compares what answers of a server and of its rivals take in instructions, one server after the other. */
export async function compareCounted(
  ours: Server,
  rivals: readonly Server[],
  rounds: number,
  load: Load,
  counting: Counting,
): Promise<readonly Comparison[]> {
  const compared: Comparison[] = [];
  const us = await countsOf(ours, rounds, load, counting);
  for (const rival of rivals) {
    const them = await countsOf(rival, rounds, load, counting);
    const [least, greatest] = [Math.min(...them) / Math.max(...us), Math.max(...them) / Math.min(...us)];
    compared.push({
      rival: rival.target.name,
      ours: { rates: [], costs: [], instructions: us },
      theirs: { rates: [], costs: [], instructions: them },
      ratio: undefined,
      instructions: { median: median(them) / median(us), least, greatest },
    });
  }
  return compared;
}
