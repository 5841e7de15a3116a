import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AgainstResult, benchAgainst, measureNames, type Variant } from './against.ts';
import { benchRivals } from './bench-rivals.ts';
import { exitCodeOf, judgeGoals } from './goals.ts';
import { againstLines } from './print-against.ts';
import { printResult } from './print-result.ts';

/*
 * `npm run bench` measures Portico against its rivals, and ends with 1 if a goal is missed. Goals are judged by instructions,
 * so it ends with 3 where the machine does not count them (`perf`); with `--valgrind`, Valgrind counts them. `npm run bench -- --against <commit>,<commit>` measures this checkout
 * against other commits, in pairs. Each of these options has this checkout measured once more: `--traces 0.01` (it records
 * that share of its requests), `--migration` (its configuration declares one), `--webhooks` (its configuration has a
 * webhook, to which an event is sent, because a key expires soon), `--tabs` (five tabs of the console are open) and
 * `--replicas 4` (four gateways share a Redis, and each has five tabs open that show the overview). With
 * `--measures hit,miss`, only these measures are taken; without `--against`, these groups: `--measures hotMounted`. With `--json`, the last line is the result as JSON.
 */

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    /** Commits to compare this checkout with, in place of the rivals. */
    against: { type: 'string' },
    /** With `--against`: the share of requests that this checkout records and exports. The audit is always on. */
    traces: { type: 'string' },
    /** With `--against`: this checkout's file declares a migration of the users, which is at rest. */
    migration: { type: 'boolean', default: false },
    /** With `--against`: the configuration of this checkout has a webhook. */
    webhooks: { type: 'boolean', default: false },
    /** With `--against`: five tabs of the console are open. */
    tabs: { type: 'boolean', default: false },
    /** With `--against`: so many gateways of this checkout share a Redis, with tabs open; the first one is measured. */
    replicas: { type: 'string' },
    /** What is measured; without `--against`, the same as `--groups`. */
    measures: { type: 'string' },
    /** Without `--against`: instructions are counted in Valgrind, for the rivals of the goals; no CPU is measured. */
    valgrind: { type: 'boolean', default: false },
    /** With `--valgrind`: how much each server answers before it is counted. */
    warm: { type: 'string', default: '40000' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '32' },
    /** Without `--against`: what is measured; `duties`, `workers` and `hotMounted` only where they are named. */
    groups: { type: 'string', default: 'hot,miss,passthrough,latency,memory,start' },
  },
});
const isPaired = values.against !== undefined;
const rounds = Number(values.rounds ?? (isPaired ? 15 : 7));
const load = {
  seconds: Number(values.seconds ?? (isPaired ? 6 : 3)),
  connections: Number(values.connections),
};
const scratch = await mkdtemp(join(tmpdir(), 'portico-bench-'));

/** Measures this checkout against its rivals. */
async function benchOthers(): Promise<void> {
  const groups = new Set((values.measures ?? values.groups).split(','));
  const counting = values.valgrind ? { folder: scratch, warmAnswers: Number(values.warm) } : undefined;
  const result = await benchRivals({ rounds, load, scratch, groups, counting });
  const goals = judgeGoals(groups, result.instructionRatios);
  printResult(result, goals, values.json);
  process.exitCode = exitCodeOf(goals);
}

/** Measures this checkout against other commits of it. */
async function benchCommits(commits: readonly string[]): Promise<void> {
  const { traces, migration, webhooks, tabs, replicas } = values;
  const variants: Record<string, Variant> = { 'this checkout': {} };
  if (traces !== undefined)
    variants[`this checkout, ${traces} of its requests traced`] = { traces: Number(traces) };
  if (migration) variants['this checkout, a migration declared'] = { migration };
  if (webhooks) variants['this checkout, with a receiver of webhooks'] = { webhooks };
  if (tabs) variants['this checkout, five tabs of the console open'] = { tabs };
  if (replicas !== undefined)
    variants[`this checkout, one of ${replicas}, each with five tabs open`] = { replicas: Number(replicas) };
  const wanted = values.measures?.split(',') ?? measureNames;
  const measures = measureNames.filter((name) => wanted.includes(name));
  const onInterim = (interim: AgainstResult) => console.error(againstLines(interim).join('\n'));
  const result = await benchAgainst(commits, { rounds, load, scratch, variants, measures, onInterim });
  console.log(againstLines(result).join('\n'));
  if (values.json) console.log(JSON.stringify(result));
}

try {
  await (values.against === undefined ? benchOthers() : benchCommits(values.against.split(',')));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
