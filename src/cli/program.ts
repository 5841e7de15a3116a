// The command line of Portico: it finds the command, runs it, and turns errors into exit codes.

import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/yaml/problem.ts';
import { closeUnacceptedOnExit } from '../gateway/workers/close-unaccepted-on-exit.ts';
import { plainCause } from '../kernel/plain-cause.ts';
import type { ConfigPaths } from './commands.ts';
import { type CliContext, ExitError, exitCodes } from './context/context.ts';
import { printProblems } from './input/read-config.ts';
import { isRegularFile } from './input/regular-file.ts';
import { version } from './input/shipped-files.ts';
import { fatalLine, openLogOutput } from './output/log-output.ts';
import { withPlainOutput } from './output/plain-output.ts';
import { printBlocks } from './output/print-report.ts';
import { runStart } from './serve/start.ts';

/** Parts for the entry, which loads this file alone: each file that it loads by itself would cut the bundle into more files. */
export const processParts = { closeUnacceptedOnExit, fatalLine, openLogOutput };

/** The gateway files that are looked for, if none is named: of a folder that `init` made, and of the repository. */
const CONFIG_FILES = ['portico.yaml', 'config/portico.yaml'] as const;

/** Creates the command line. `start` and `demo` load no other command, because those are two hundred files. */
async function createProgram(args: readonly string[], context: CliContext): Promise<Command> {
  const program = new Command('portico')
    .description('An API gateway that puts a clean v1 contract in front of legacy services.')
    .option('-c, --config <file>', 'the gateway file; its sources stand in the folder "sources" beside it')
    .version(version)
    .configureOutput({ writeOut: context.out, writeErr: context.err })
    .configureHelp({ minWidthToWrap: 20 })
    .exitOverride()
    .showSuggestionAfterError();
  const given = () => program.opts<{ config?: string }>().config ?? context.env['PORTICO_CONFIG'];
  const files: ConfigPaths = {
    given,
    file: () => given() ?? CONFIG_FILES.find(isRegularFile) ?? CONFIG_FILES[1],
  };
  program
    .command('start')
    .description('start the gateway')
    .action(() => runStart(files.file(), context));
  const isHelp = args.includes('--help') || args.includes('-h');
  const command = isHelp ? undefined : program.parseOptions([...args]).operands[0];
  if (command === 'demo') {
    const { registerDemoCommand } = await import('./serve/demo.ts');
    registerDemoCommand(program, given, context);
  } else if (command !== 'start') {
    const { registerAllCommands } = await import('./commands.ts');
    await registerAllCommands(program, files, context, args);
  }
  return program;
}

/** Prints an error, and returns the exit code with which it ends the command. */
function endBy(error: unknown, context: CliContext): ExitError {
  const { ok, usage, config, interrupted, failure } = exitCodes;
  // Commander has printed its errors itself.
  if (error instanceof CommanderError)
    return new ExitError(error.exitCode === 0 ? ok : usage, error.message.replace(/^error: /, ''));
  if (error instanceof ConfigError) {
    printProblems(error, context);
    const { message, problems } = error;
    return new ExitError(config, message, '', { code: 'config', reason: message, problems });
  }
  const { path, code } = Object(error) as NodeJS.ErrnoException;
  const text = plainCause(error);
  // A file that there is not was named wrongly.
  const found = new ExitError(
    code === 'ENOENT' ? usage : failure,
    path === undefined ? text : `${path}: ${text}`,
  );
  const end = error instanceof ExitError ? error : context.stop.aborted ? new ExitError(interrupted) : found;
  if (end.message !== '') printBlocks([`portico: ${end.message}`], context, { to: 'err' });
  return end;
}

/** Runs a command line, and returns its exit code. */
export async function runCli(args: readonly string[], given: CliContext): Promise<number> {
  const printed = { any: false };
  function out(text: string): void {
    printed.any = true;
    given.out(text);
  }
  const context = withPlainOutput({ ...given, out });
  try {
    const program = await createProgram(args, context);
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    const { exitCode, problem } = endBy(error, context);
    if (args.includes('--json') && !printed.any && exitCode !== exitCodes.ok)
      context.out(`${JSON.stringify({ error: problem })}\n`);
    return exitCode;
  }
}
