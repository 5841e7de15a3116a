// What the process hands to commands, so that only src/main.ts touches `process`; and the exit codes of commands.

import type { Command } from 'commander';
import type { Environment } from '../../config/yaml/substitute.ts';
import type { PrimaryChannel, WorkerProcess } from '../../gateway/workers/messages.ts';

/** The stream to which the lines of the log are written. */
export type LogDestination = {
  write(line: string): void;
  /** How many lines were dropped because the output was not read; absent: none. */
  readonly droppedLines?: () => number;
};

/** What a command may know of processes, and do with them. */
export type Processes = {
  /** The number of this process. */
  readonly pid: number;
  /** The name of this machine. */
  readonly host: string;
  /** Who runs this process; for the audit. */
  readonly user: string;
  /** How many cores this process may use. */
  readonly cores: number;
  /** The processor time that this process has used, in milliseconds. */
  readonly cpuMs: () => number;
  /** Present if this process is one of several of a gateway. */
  readonly primary: PrimaryChannel | undefined;
  /** Starts one more process with the same command line. */
  readonly fork: () => WorkerProcess;
  /** Calls back at every SIGHUP from now on; before, a SIGHUP ends the process. */
  readonly onHangUp: (listener: () => void) => void;
};

/** A terminal that somebody looks at. */
export type Terminal = {
  /** Writes as it is, escape sequences included. */
  readonly stream: {
    readonly isTTY: boolean;
    readonly columns: number;
    readonly rows: number;
    write(text: string): boolean;
  };
  /** Whether colours are shown; false if the variable `NO_COLOR` is set. */
  readonly hasColours: boolean;
};

/** What a command may use of the process; `src/main.ts` fills it in. */
export type CliContext = {
  readonly env: Environment['variables'];
  readonly nodeVersion: string;
  /** Writes to standard output, as it is. */
  readonly out: (text: string) => void;
  /** Writes to standard error, as it is. */
  readonly err: (text: string) => void;
  /** The terminals that the output goes to; absent for a pipe or a file, which get the same text on every run. */
  readonly terminals?: { readonly out?: Terminal | undefined; readonly err?: Terminal | undefined };
  /** Asks somebody who sits at a terminal; absent if nobody does. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Opens the log of a gateway on standard output; `shared`: other processes write there too. */
  readonly openLog: (shared?: boolean) => LogDestination;
  readonly processes: Processes;
  /** Aborts when the process is asked to stop (SIGTERM, SIGINT). */
  readonly stop: AbortSignal;
};

/** What each `register…Command` gets: the program to add to, the gateway file, and what it may use of the process. */
export type CommandLine = {
  readonly program: Command;
  readonly configFile: () => string;
  readonly context: CliContext;
};

/**
 * The exit codes of all commands, after sysexits.h; config/docs/releases.md has the table. `failure`: a request was refused,
 * or a difference was found. `unavailable`: no server answers. `interrupted`: Ctrl-C was pressed.
 */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 64,
  unavailable: 69,
  config: 78,
  interrupted: 130,
} as const;

/** The name of an exit code, by which programs know what went wrong. */
function nameOf(exitCode: number): string {
  return Object.entries(exitCodes).find(([, code]) => code === exitCode)?.[0] ?? 'failure';
}

/** A message with a hint on the line below it. */
export function withHint(message: string, hint = ''): string {
  return hint === '' ? message : `${message}\n    hint: ${hint}`;
}

/**
 * Ends a command with an exit code. `runCli` prints the message to standard error, if there is one; with `--json`, it prints the
 * problem on standard output, too, if the command has printed nothing there.
 */
export class ExitError extends Error {
  readonly exitCode: number;
  readonly problem: object;

  constructor(exitCode: number, message = '', hint = '', problem?: object) {
    super(withHint(message, hint));
    this.exitCode = exitCode;
    this.problem = problem ?? { code: nameOf(exitCode), reason: message, ...(hint !== '' && { hint }) };
  }
}
