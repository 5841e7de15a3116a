import { Command, CommanderError, Option } from 'commander';
import { type CheckOptions, runCheck } from './check/check.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { runDemo } from './serve/demo.ts';
import { registerAuditCommand } from './redis/audit.ts';
import { registerCacheCommand } from './redis/cache.ts';
import { registerClaimsCommand } from './redis/claims.ts';
import { registerCompletion } from './completion.ts';
import { registerDoctorCommand } from './doctor.ts';
import { registerExplainCommand } from './explain.ts';
import { type GenerateOptions, runGenerate } from './generate/generate.ts';
import { registerInferCommand } from './infer/infer.ts';
import { registerKeysCommand } from './redis/keys.ts';
import { registerMigrationCommand } from './migration/register.ts';
import { pepperNote } from './redis/pepper-note.ts';
import { withPlainOutput } from './output/plain-output.ts';
import { registerQualityCommand } from './quality.ts';
import { readConfigOrExit, readPartialConfigOrExit } from './input/read-config.ts';
import { registerRequestsCommand } from './redis/requests.ts';
import { registerSamplesCommand } from './serve/samples.ts';
import { registerReloadCommand } from './serve/reload.ts';
import { runStart } from './serve/start.ts';
import { registerTryCommand } from './serve/try.ts';
import { registerUpgradeCheckCommand } from './check/upgrade-check.ts';
import { runTest, type TestOptions } from './fixtures/test-fixtures.ts';
import { version } from './input/version.ts';

const CONFIG_FILE = 'config/portico.yaml';
/** It declares a migration to try out. */
const DEMO_FILE = 'config/demo.yaml';

function createProgram(context: CliContext): Command {
  const program = new Command('portico')
    .description('An API gateway that puts a clean v1 contract in front of legacy services.')
    .option('-c, --config <file>', 'the gateway file; its sources stand in the folder "sources" beside it')
    .version(version)
    .configureOutput({ writeOut: context.out, writeErr: context.err })
    .exitOverride()
    .showSuggestionAfterError();
  const givenFile = () => program.opts<{ config?: string }>().config ?? context.env['PORTICO_CONFIG'];
  const configFile = () => givenFile() ?? CONFIG_FILE;

  program
    .command('start')
    .description('start the gateway')
    .action(() => runStart(configFile(), context));
  program
    .command('check')
    .description('check the configuration without starting anything, and show what queries will cost')
    .option('--source <file>', 'check one source file alone; variables without default get placeholders')
    .option('--no-fixtures', 'do not replay the recorded cases of the sources')
    .option('--json', 'print problems, or the costs of queries, as JSON')
    .action((options: CheckOptions) => runCheck(options, configFile(), context));
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
    .addOption(new Option('--scramble', 'deprecated: recordings are masked by default').hideHelp())
    .option('--overwrite', 'with --record: replace cases that are there already')
    .option('--json', 'print the results as JSON')
    .action((names: string[], options: TestOptions) => runTest(names, options, configFile(), context));
  program
    .command('demo')
    .description('start the sample services and the gateway in front of them')
    .action(() => runDemo(givenFile() ?? DEMO_FILE, context));
  program
    .command('generate')
    .description(
      'write what is generated: OpenAPI, the schemas and the reference of the configuration, tables in documents',
    )
    .option('--check', 'only say whether they are up to date')
    .option('--sbom', 'only print what Portico runs on: a software bill of materials (CycloneDX)')
    .action((options: GenerateOptions) => runGenerate(options, context));
  registerExplainCommand(program, configFile, context);
  registerInferCommand(program, configFile, context);
  registerTryCommand(program, context);
  registerReloadCommand(program, configFile, context);
  registerUpgradeCheckCommand(program, context);
  registerDoctorCommand(program, configFile, context);
  registerQualityCommand(program, configFile, context);
  registerRequestsCommand(program, configFile, context);
  registerSamplesCommand(program, context);
  const operator = {
    loadConfig: () =>
      Promise.resolve(readPartialConfigOrExit(configFile(), context, { gateway: true }).gateway),
    pepperNote: () => pepperNote(configFile(), context.env),
    out: context.out,
    err: context.err,
    env: context.env,
    stop: context.stop,
    user: context.processes.user,
    instance: `${context.processes.host}:${context.processes.pid}`,
  };
  registerKeysCommand(program, operator);
  registerCacheCommand(program, operator);
  registerClaimsCommand(program, () => readConfigOrExit(configFile(), context), operator);
  registerAuditCommand(program, operator);
  registerMigrationCommand(program, configFile, context);
  registerCompletion(program, configFile, context);
  return program;
}

/** Runs a command line; the exit code is the answer. */
export async function runCli(args: readonly string[], given: CliContext): Promise<number> {
  const context = withPlainOutput(given);
  try {
    await createProgram(context).parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof ExitError) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    context.err(`portico: ${error instanceof Error ? error.message : 'failed'}\n`);
    return exitCodes.failure;
  }
}
