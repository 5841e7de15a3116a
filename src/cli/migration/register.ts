// Registers `portico migration` with all of its commands, and implements `list` and `status`.

import { setTimeout as sleep } from 'node:timers/promises';
import type { CliContext, CommandLine } from '../context/context.ts';
import type { Report } from '../../workbench/explain/report/report.ts';
import { printReport } from '../output/print-report.ts';
import { addAskingAction, type AskOperator, type GatewayOptions } from '../gateway/operator-api-client.ts';
import { addDifferenceCommands } from './difference-commands.ts';
import { positionWords, statusReport } from './status-report.ts';
import { type AddCommand, addStepCommands } from './step-commands.ts';
import { addTaskCommands } from './task-commands.ts';

type StatusOptions = GatewayOptions & { readonly watch?: boolean; readonly operation?: string };

const WATCH_MS = 1_000;

/** The status; with `--watch` it is printed again and again until the command is stopped. */
async function runStatus(
  ask: AskOperator,
  resource: string,
  { watch, json, operation }: StatusOptions,
  context: CliContext,
): Promise<Report | undefined> {
  for (;;) {
    const report = statusReport(await ask('migrations.status', { resource, operation }));
    if (watch !== true) return report;
    printReport(report, json, context, 0);
    if (json !== true) context.out('\n');
    const isStopped = await sleep(WATCH_MS, false, { signal: context.stop }).catch(() => true);
    if (isStopped) return undefined;
  }
}

async function listMigrations(ask: AskOperator): Promise<Report> {
  const { migrations } = await ask('migrations', {});
  const rows = migrations.map((one) => [
    ...[one.resource, one.sources.join(' -> '), positionWords(one), `rev ${one.rev}`],
  ]);
  const none = 'the configuration in force declares no migration';
  return { json: { migrations }, blocks: rows.length === 0 ? [none] : [{ table: rows }] };
}

/** Adds `portico migration` and its commands. Exit codes: 1 refused, 64 usage, 69 no answer, 78 not declared. */
export function registerMigrationCommand(line: CommandLine): void {
  const { program, context } = line;
  const migration = program
    .command('migration')
    .description('move a resource from its source to another one, without a change for its callers');
  const list = migration.command('list').description('the resources that move, and where they are');
  addAskingAction(list, line, listMigrations);
  const add: AddCommand = (name, description, run) => {
    const command = migration
      .command(name)
      .description(description)
      .argument('<resource>', 'the resource that moves, such as users');
    return addAskingAction(command, line, run);
  };
  add(
    'status',
    'where a migration is, and what its next step asks for',
    (ask, [resource = ''], options: StatusOptions) => runStatus(ask, resource, options, context),
  )
    .option('--watch', 'again every second')
    .option('--operation <name>', 'the gate of this operation, such as users.list');
  addStepCommands(add, context);
  addTaskCommands(add, context);
  addDifferenceCommands(add, context);
}
