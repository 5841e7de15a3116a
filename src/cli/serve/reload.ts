// `portico reload` and `portico config back`: put changed or earlier files in force in a running gateway.

import { writeFileSync } from 'node:fs';
import { Option } from 'commander';
import { allFiles } from '../../config/load.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { type CliContext, type CommandLine, ExitError, exitCodes } from '../context/context.ts';
import { askListener, type GatewayOptions } from '../gateway/operator-api-client.ts';
import { addListenerOptions } from '../input/operator-listener.ts';
import { keptFiles } from './last-good.ts';
import { reloadReport } from './reload-report.ts';
import { printReport } from '../output/print-report.ts';

type Options = GatewayOptions & {
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly wait: string;
  readonly reason?: string;
};

/** How long the answer to a reload may take. The gateway checks its files first, which is slow on a busy machine. */
const CHECK_MS = 120_000;

/**
 * `portico reload`: has a running gateway put its changed files in force. Exit code 78 if they are refused, 1 if
 * some process has not said in time that it serves them, or the gateway refuses the token.
 */
async function runReload(options: Options, configFile: string, context: CliContext): Promise<void> {
  const { wait, dryRun, force, reason } = options;
  const timeoutMs = CHECK_MS + (parseDuration(wait) ?? 0);
  const ask = askListener({ ...options, timeoutMs }, configFile, context);
  const outcome = await ask('config.reload', { wait, dryRun, force, reason });
  printReport(reloadReport(outcome), options.json, context);
  if (outcome.kind === 'refused') throw new ExitError(exitCodes.config);
  if (outcome.waitingFor > 0) throw new ExitError(exitCodes.failure);
}

/** `portico config back <rev>`: writes the files of an earlier revision, and has the gateway put them in force. */
async function runBack(
  rev: string,
  options: Options,
  configFile: string,
  context: CliContext,
): Promise<void> {
  const { reloads } = await askListener(options, configFile, context)('config', {});
  const digest = reloads.find((one) => String(one.rev) === rev)?.digest ?? '';
  const files = keptFiles(configFile, digest, context.env);
  if (files === undefined) {
    const hint = 'state.dir of the configuration keeps the last ten; portico config lists the revisions';
    throw new ExitError(exitCodes.failure, `the files of revision ${rev} are not kept here`, hint);
  }
  for (const { file, text } of allFiles(files)) writeFileSync(file, text);
  const reason = options.reason ?? `back to revision ${rev}`;
  await runReload({ ...options, wait: '5s', reason }, configFile, context);
}

/** Adds `portico config back` to the command `config`. */
export function registerBackCommand({ program, configFile, context }: CommandLine): void {
  const config = program.commands.find((one) => one.name() === 'config') ?? program;
  const command = config
    .command('back')
    .description('write the files of an earlier revision, as state.dir keeps them, and put them in force')
    .argument('<rev>', 'the revision, as `portico config` lists them')
    .option('--force', 'even if that ends a migration, or changes the contract of a resource that moves')
    .option('--reason <text>', 'why, for the audit');
  addListenerOptions(command).action((rev: string) =>
    runBack(rev, command.optsWithGlobals<Options>(), configFile(), context),
  );
}

/** Adds `portico reload` to the command line. */
export function registerReloadCommand({ program, configFile, context }: CommandLine): void {
  const command = program
    .command('reload')
    .description('have a running gateway put its changed files in force, without a restart')
    .option('--dry-run', 'only check the files, and say what would become different')
    .option(
      '--force',
      'change the contract of a resource, or end its migration, even while it moves to another source',
    )
    .addOption(
      new Option('--wait <time>', 'how long to wait until every process serves the new files').default('5s'),
    )
    .option('--reason <text>', 'why, for the audit');
  addListenerOptions(command, '--admin, --gateway <url>').action((options: Options) =>
    runReload(options, configFile(), context),
  );
}
