// Registers all commands but `start`. They are loaded only if one of them was called, because a gateway and the demo need none
// of their files.

import { type Command, Option } from 'commander';
import { type CheckOptions, runCheck } from './check/check.ts';
import { registerCompletion } from './input/completion.ts';
import { registerContractCommands } from './contract.ts';
import type { CliContext, CommandLine } from './context/context.ts';
import { registerDoctorCommand } from './check/doctor.ts';
import { registerExplainCommand } from './explain.ts';
import { runTest, type TestOptions } from './fixtures/replay-fixtures.ts';
import { type GenerateOptions, runGenerate } from './generate.ts';
import { registerInferCommand } from './infer/infer.ts';
import { registerInitCommand } from './init/init.ts';
import { readConfig } from './input/read-config.ts';
import { readForRedis } from './input/read-for-redis.ts';
import { registerMigrationCommand } from './migration/register.ts';
import { registerQualityCommand } from './quality.ts';
import { registerAuditCommand } from './gateway/audit.ts';
import { registerCacheCommand } from './gateway/cache.ts';
import { registerClaimsCommand } from './gateway/claims.ts';
import { registerConfigCommand } from './gateway/config.ts';
import { registerNounCommands } from './gateway/nouns.ts';
import { offeredKeys, pepperNote, registerKeysCommand } from './gateway/keys.ts';
import { registerRequestsCommand } from './gateway/requests.ts';
import { registerStatusCommand } from './gateway/status.ts';
import { registerDemoCommand } from './serve/demo.ts';
import { registerBackCommand, registerReloadCommand } from './serve/reload.ts';
import { registerSamplesCommand } from './serve/samples.ts';
import { registerTryCommand } from './serve/try.ts';
import examples from './examples.json' with { type: 'json' };

/** Which configuration a command is about. */
export type ConfigPaths = {
  /** The file that the command line or the environment names. */
  readonly given: () => string | undefined;
  /** That file, or the default one. */
  readonly file: () => string;
};

function registerFileCommands(program: Command, files: ConfigPaths, context: CliContext): void {
  program
    .command('check')
    .description('check the configuration without starting anything, and show what queries will cost')
    .option('--source <file>', 'check one source file alone; variables without default get placeholders')
    .option('--no-fixtures', 'do not replay the recorded cases of the sources')
    .addOption(
      new Option(
        '--against <file>',
        'fail if clients of the contract in this file, or of this gateway file, would break',
      ).conflicts('source'),
    )
    .option('--json', 'print problems, or the costs of queries, as JSON')
    .action((options: CheckOptions) => runCheck(options, files.file(), context));
  program
    .command('test')
    .description('replay the recorded cases of the sources: fixtures/<source>/*.yaml; or record new ones')
    .argument(
      '[source...]',
      'names of sources; default: all. With --record: one source, and requests to record',
    )
    .option('--source <file>', 'test one source file alone; variables without default get placeholders')
    .option('--record', 'ask the live source, and write what was asked, replied and answered as cases')
    .option('--whole', 'with --record: keep every value of the replies, personal data included')
    .option('--overwrite', 'with --record: replace cases that are there already')
    .option('--json', 'print the results as JSON')
    .action((names: string[], options: TestOptions) => runTest(names, options, files.file(), context));
  registerDemoCommand(program, files.given, context);
  program
    .command('generate')
    .description(
      'write what is generated: OpenAPI, the schemas and the reference of the configuration, tables in documents',
    )
    .option('--check', 'only say whether they are up to date')
    .action((options: GenerateOptions) => runGenerate(options, context));
}

/** Registers the commands on keys, kept answers, claims and the audit, which work on Redis or on a gateway that runs. */
function registerStateCommands({ program, configFile, context }: CommandLine): void {
  const operator = {
    ...context,
    // `async`, so that a ConfigError rejects and is not thrown.
    loadConfig: async () => Promise.resolve(readForRedis(configFile(), context)),
    pepperNote: () => pepperNote(configFile(), context.env),
    user: context.processes.user,
    instance: `${context.processes.host}:${context.processes.pid}`,
  };
  registerKeysCommand(program, operator);
  registerCacheCommand(program, operator);
  registerClaimsCommand(program, () => readConfig(configFile(), context.env), operator);
  registerAuditCommand(program, operator);
}

/** Adds to the help of a command and its subcommands the examples that `examples.json` has under their words. */
function addExamples(command: Command, path: readonly string[] = []): void {
  const lines = (examples as Readonly<Record<string, readonly string[]>>)[path.join(' ')] ?? [];
  if (lines.length > 0)
    command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  for (const one of command.commands) addExamples(one, [...path, one.name()]);
}

/**
 * Registers all commands but `start`, and their examples. `keyIds` are what a shell offers for the id of a key.
 * @internal for this file and its tests
 */
export function registerCommands(
  program: Command,
  files: ConfigPaths,
  context: CliContext,
  keyIds: readonly string[] = [],
): void {
  const line: CommandLine = { program, configFile: files.file, context };
  registerFileCommands(program, files, context);
  registerContractCommands(line);
  registerExplainCommand(line);
  registerInferCommand(line);
  registerInitCommand(line);
  registerTryCommand(line);
  registerReloadCommand(line);
  registerDoctorCommand(line);
  registerQualityCommand(line);
  registerRequestsCommand(line);
  registerNounCommands(line);
  registerConfigCommand(line);
  registerBackCommand(line);
  registerStatusCommand(line);
  registerSamplesCommand(line);
  registerStateCommands(line);
  registerMigrationCommand(line);
  registerCompletion(line, keyIds);
  addExamples(program);
}

/** Registers them for a command line, which may be a shell's question about the ids of keys. */
export async function registerAllCommands(
  program: Command,
  files: ConfigPaths,
  context: CliContext,
  args: readonly string[],
): Promise<void> {
  registerCommands(program, files, context, await offeredKeys(args, files.file, context));
}
