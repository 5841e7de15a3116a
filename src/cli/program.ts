import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/yaml/problem.ts';
import type { ConfigPaths } from './commands.ts';
import { type CliContext, ExitError, exitCodes } from './context/context.ts';
import { printProblems } from './input/read-config.ts';
import { version } from './input/shipped-files.ts';
import { withPlainOutput } from './output/plain-output.ts';
import { runStart } from './serve/start.ts';

const CONFIG_FILE = 'config/portico.yaml';

/** Creates the command line. A gateway that starts loads no other command: they are two hundred files. */
async function createProgram(args: readonly string[], context: CliContext): Promise<Command> {
  const program = new Command('portico')
    .description('An API gateway that puts a clean v1 contract in front of legacy services.')
    .option('-c, --config <file>', 'the gateway file; its sources stand in the folder "sources" beside it')
    .version(version)
    .configureOutput({ writeOut: context.out, writeErr: context.err })
    .exitOverride()
    .showSuggestionAfterError();
  const given = () => program.opts<{ config?: string }>().config ?? context.env['PORTICO_CONFIG'];
  const files: ConfigPaths = { given, file: () => given() ?? CONFIG_FILE };
  program
    .command('start')
    .description('start the gateway')
    .action(() => runStart(files.file(), context));
  if (program.parseOptions([...args]).operands[0] !== 'start') {
    const { registerCommands } = await import('./commands.ts');
    registerCommands(program, files, context);
  }
  return program;
}

/** Runs a command line; the exit code is the answer. */
export async function runCli(args: readonly string[], given: CliContext): Promise<number> {
  const context = withPlainOutput(given);
  try {
    const program = await createProgram(args, context);
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Commander has printed its own.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (error instanceof ConfigError) {
      printProblems(error, context);
      return exitCodes.config;
    }
    const message = error instanceof Error ? error.message : 'failed';
    if (message !== '') context.err(`portico: ${message}\n`);
    return error instanceof ExitError ? error.exitCode : exitCodes.failure;
  }
}
