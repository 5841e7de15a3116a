// The commands of `portico migration` that start long work (such as comparing all records) and wait for its end, and
// `report`.

import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionRequest, ActionValue } from '../../admin/api/action-table.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import type { Report } from '../../workbench/explain/report/report.ts';
import { printReport } from '../output/print-report.ts';
import type { AskOperator, GatewayOptions } from '../gateway/operator-api-client.ts';
import { taskText } from './status-report.ts';
import { type AddCommand, parseInteger } from './step-commands.ts';

type TaskOptions = GatewayOptions & {
  readonly reason?: string;
  readonly file?: string;
  readonly rps?: number;
};

const POLL_MS = 300;
/** For how long the gateway may fail to answer before a command that waits for work gives up. */
const LOST_MS = 60_000;
/** How often the progress is printed. */
const PROGRESS_MS = 5_000;

/** Starts long work, waits for its end, and prints it. Exit code 1 if it fails. */
async function runTask(
  ask: AskOperator,
  input: ActionRequest<'migrations.start'>,
  { json }: GatewayOptions,
  context: CliContext,
): Promise<Report> {
  const task = await endOfTask(ask, input, context);
  const report = { json: task, blocks: [taskText(task)] };
  if (task.outcome.kind !== 'failed') return report;
  printReport(report, json, context);
  throw new ExitError(exitCodes.failure);
}

/** Starts long work, prints its progress to standard error, and returns the work once it has ended. */
export async function endOfTask(
  ask: AskOperator,
  input: ActionRequest<'migrations.start'>,
  context: CliContext,
): Promise<NonNullable<ActionValue<'migrations.status'>['task']>> {
  const started = (await ask('migrations.start', input)).task;
  let printedAt = performance.now();
  let answeredAt = performance.now();
  for (;;) {
    const { task } = await ask('migrations.status', { resource: input.resource }).catch((error: unknown) => {
      const isLost = error instanceof ExitError && error.exitCode === exitCodes.unavailable;
      if (!isLost || performance.now() - answeredAt > LOST_MS) throw error;
      // The task goes on in the gateway, although the command was stopped.
      return { task: started };
    });
    if (task !== started) answeredAt = performance.now();
    if (task === null || task.startedAt !== started.startedAt || task.kind !== started.kind)
      throw new ExitError(
        exitCodes.unavailable,
        'another process answers, which does not know of this work; look at the audit',
      );
    if (task.outcome.kind !== 'running') return task;
    if (performance.now() - printedAt > PROGRESS_MS) {
      context.err(`${taskText(task)}\n`);
      printedAt = performance.now();
    }
    await sleep(POLL_MS, undefined, { signal: context.stop });
  }
}

/** The questions of a file with one JSON object a line. @throws Error made for the operator */
function readQueries(file: string): readonly { readonly operation: string; readonly query: string }[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      const { operation, query } = JSON.parse(line) as Record<string, unknown>;
      if (typeof operation === 'string' && typeof query === 'string') return [{ operation, query }];
    } catch {
      // The message below says what a line is.
    }
    const problem = `${file}:${index + 1}: write {"operation":"users.list","query":"limit=20&sort=name"}`;
    throw new ExitError(exitCodes.usage, problem);
  });
}

/** Adds the commands that start long work. */
export function addTaskCommands(add: AddCommand, context: CliContext): void {
  const tasks = [
    ['create', 'begin: check that both sources give the same records under the same ids'],
    ['walk', 'compare all records of both sources, and the edges of what may be asked'],
    [
      'probe-edges',
      'compare first and last pages, past the end, unknown ids and values, each sort and filter',
    ],
    ['rehearse', 'make calls to the new source fail for a minute, in shadow, and see the judge trip'],
  ] as const;
  for (const [task, description] of tasks)
    add(task, description, (ask, [resource = ''], options: TaskOptions) =>
      runTask(ask, { resource, task, reason: options.reason }, options, context),
    ).option('--reason <text>', 'why, for the audit');

  addReplay(add, context);
  addReport(add);
}

function addReplay(add: AddCommand, context: CliContext): void {
  add(
    'replay',
    'ask both sources recorded questions, and count the comparisons',
    (ask, [resource = ''], options: TaskOptions) => {
      const { file = '', rps, reason } = options;
      const input = { resource, task: 'replay', queries: readQueries(file), rps, reason } as const;
      return runTask(ask, input, options, context);
    },
  )
    .requiredOption('--file <file>', 'one question a line: {"operation":"users.list","query":"limit=20"}')
    .option('--rps <n>', 'questions a second; default 5', parseInteger)
    .option('--reason <text>', 'why, for the audit');
}

function addReport(add: AddCommand): void {
  add(
    'report',
    'write a report to one file, for those who must sign',
    async (ask, [resource = ''], { out }: { readonly out?: string }) => {
      const { markdown } = await ask('migrations.report', { resource });
      if (out !== undefined) writeFileSync(out, markdown);
      return { json: { markdown }, blocks: [out === undefined ? markdown : `${out} is written`] };
    },
  ).option('--out <file>', 'the file; default: standard output');
}
