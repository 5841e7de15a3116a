import type { JudgedGoal } from './goals.ts';
import type { Latencies, Memory } from './measures.ts';
import { median } from './rounds.ts';
import type { Ratio } from './side-by-side.ts';
import type { WorkersCost } from './workers.ts';

/** All that one run measured. */
export type BenchResult = {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly pinned: boolean };
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** Requests per second of each server, round by round, of a core that it has in turns with another one. */
  readonly rates: Record<string, readonly number[]>;
  /** CPU of an answer of each server, microseconds, in the same rounds. */
  readonly costs: Record<string, readonly number[]>;
  /** Instructions of an answer of each server, in the same rounds; empty where the machine does not count them. */
  readonly instructions: Record<string, readonly number[]>;
  readonly ratios: Record<string, Ratio>;
  readonly instructionRatios: Record<string, Ratio>;
  readonly startMs: number;
  /** From the start of the compiled gateway to its first answer; absent where `npm run build` has not been run. */
  startCompiledMs?: number;
  /** The same of a program that has only the packages of the gateway; absent without the group `start`. */
  startPackagesMs?: number;
  latency?: Latencies;
  bytesPerPage?: Memory;
  /** What the compiled gateway keeps resident when it is idle; absent where `npm run build` has not been run. */
  bytesAtRest?: number;
  /** What the duties cost, part by part; absent without the group `duties`, which is measured only where it is named. */
  duties?: Readonly<Record<string, Ratio>>;
  /** Absent without the group `workers`, which is measured only where it is named. */
  workers?: readonly WorkersCost[];
};

/** What is said of the rivals whose names end with `ToExpress` and `ToFastify`. */
const GATEWAYS =
  '   (…ToExpress, …ToFastify: gateways with the same duties, of packages; the naive and the bare rivals check no key, no limit and no contract, and keep nothing)';

/** What is said of the servers named `duties-…`. */
const DUTIES =
  '   (duties: a key, a count, a log line, headers and, for a miss, Redis, written straight down for one route; what they cost at least)';

/** Beside the ratios of a gateway in a host. */
const MOUNTED =
  '   (in a bare Express, to the gateway alone; …Tuned: with both settings of library.md; …Node: in node:http with these, to the gateway alone; …Express: what Express leaves of that; hotAuthenticated: a host that says who calls, to one that does not)';

/** Beside the ratios to it. */
const LURA =
  "   (lura, KrakenD's engine, checks no key, no limit and no contract, writes no log, and maps no field of a row)";

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
const ms = (value: number) => `${value.toFixed(2)} ms`;

const ratioText = ({ median: middle, least, greatest }: Ratio) =>
  `${middle.toFixed(2).padStart(6)}  ${least.toFixed(2)}–${greatest.toFixed(2)}`;

function costLine({ instructions }: BenchResult, name: string, costs: readonly number[]): string {
  const counted = instructions[name] ?? [];
  const parts = [
    ...(costs.length === 0 ? [] : [`${median(costs).toFixed(1).padStart(7)} µs`]),
    ...(counted.length === 0 ? [] : [`${(median(counted) / 1_000).toFixed(0)} thousand instructions`]),
  ];
  return `${name.padEnd(28)}${parts.join(', ')}`;
}

/** Each goal, and how many of them are met. */
export function goalLines(
  goals: readonly JudgedGoal[],
  { ratios, instructionRatios }: Pick<BenchResult, 'ratios' | 'instructionRatios'>,
): readonly string[] {
  if (goals.length === 0) return [];
  const text = (ratio: Ratio | undefined) => (ratio === undefined ? 'not measured' : ratioText(ratio).trim());
  const count = (wanted: string) => String(goals.filter(({ verdict }) => verdict === wanted).length);
  return [
    '',
    'goals: instructions of an answer of the rival / of ours, and CPU beside them',
    ...goals.map(
      ({ ratio, atLeast, aim, verdict }) =>
        `${ratio.padEnd(28)}${verdict}: at least ${String(atLeast)}, aim ${String(aim)}; instructions ${text(instructionRatios[ratio])}, CPU ${text(ratios[ratio])}`,
    ),
    `${count('met')} met, ${count('missed')} missed, ${count('not judged')} not judged`,
  ];
}

function detailLines({ startCompiledMs, startPackagesMs, bytesAtRest }: BenchResult): readonly string[] {
  const lines: string[] = [];
  if (startCompiledMs !== undefined)
    lines.push(
      `… compiled                  ${Math.round(startCompiledMs).toString()} ms (at most 450, aim 400)`,
    );
  if (startPackagesMs !== undefined)
    lines.push(`… its packages alone       ${Math.round(startPackagesMs).toString()} ms`);
  if (bytesAtRest !== undefined)
    lines.push(`resident at rest, compiled   ${mebibytes(bytesAtRest)} (at most 110, aim 100)`);
  return lines;
}

/** Prints what a run measured, and what that says of the goals; with `json`, one line of JSON comes last. */
export function printResult(result: BenchResult, goals: readonly JudgedGoal[], json: boolean): void {
  const { machine, costs, ratios, latency, bytesPerPage } = result;
  const lines = [
    `${machine.cpu}, ${String(machine.cores)} cores, ${machine.pinned ? 'the servers on one of them' : 'not pinned'}`,
    `${String(result.rounds)} rounds of ${String(result.seconds)} s, ${String(result.connections)} connections`,
    '',
    'what an answer took',
    ...Object.entries(costs).map(([name, values]) => costLine(result, name, values)),
    '',
    'CPU of an answer of the rival / of ours, measured at the same time: the median, the least and the greatest of the rounds',
    ...Object.entries(ratios).map(([name, ratio]) => `${name.padEnd(28)}${ratioText(ratio)}`),
    GATEWAYS,
    ...(Object.keys(ratios).some((name) => name.endsWith('ToLura')) ? [LURA] : []),
    ...('hotMounted' in ratios ? [MOUNTED] : []),
    DUTIES,
    '',
    `first answer after           ${Math.round(result.startMs).toString()} ms`,
  ];
  lines.push(...detailLines(result));
  if (latency !== undefined) {
    const { portico, floor, rate, p99ToFloor } = latency;
    const ofRounds = [median(p99ToFloor), Math.min(...p99ToFloor), Math.max(...p99ToFloor)];
    const [middle, least, most] = ofRounds.map((one) => one.toFixed(2));
    lines.push(
      `at ${rate.toString()} requests/s: p50 ${ms(portico.p50)}, p99 ${ms(portico.p99)}; the floor ${ms(floor.p50)}, ${ms(floor.p99)}`,
      `  p99 to that of the floor, in the same round: ${middle}  ${least}–${most}, at most 1.10`,
    );
  }
  if (bytesPerPage !== undefined) {
    const { held, resident } = bytesPerPage;
    lines.push(
      `a cached page                ${held.toFixed(0)} bytes held (resident ${resident.toFixed(0)}); 10,000 pages: ${mebibytes(held * 10_000)}, at most 80, aim 70 (resident ${mebibytes(resident * 10_000)})`,
    );
  }
  for (const [name, { median: middle, least, greatest }] of Object.entries(result.duties ?? {}))
    lines.push(
      `${name}: ${middle.toFixed(2)} times the CPU without any (${least.toFixed(2)}–${greatest.toFixed(2)})`,
    );
  for (const { measure, as, processes, each, cost, primary } of result.workers ?? [])
    lines.push(
      `a ${measure}, ${String(processes)} ${as === 'workers' ? 'workers' : 'gateways apart'}, ${String(each)} a second each: ${cost.toFixed(0)} µs (the primary ${primary.toFixed(0)})`,
    );
  console.log([...lines, ...goalLines(goals, result)].join('\n'));
  if (json) {
    const medians = Object.fromEntries(Object.entries(ratios).map(([name, ratio]) => [name, ratio.median]));
    console.log(JSON.stringify({ ...result, ratios: medians, spreads: ratios, goals }));
  }
}
