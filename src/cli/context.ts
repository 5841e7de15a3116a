import type { Environment } from '../config/substitute.ts';

/** Where the lines of the log go. */
export type LogDestination = { write(line: string): void };

/** What a command may use of the process; `src/main.ts` fills it in. */
export type CliContext = {
  readonly env: Environment['variables'];
  readonly nodeVersion: string;
  /** Writes to standard output, as it is. */
  readonly out: (text: string) => void;
  /** Writes to standard error, as it is. */
  readonly err: (text: string) => void;
  /** Opens the log of a gateway on standard output. */
  readonly openLog: () => LogDestination;
  /** Aborts when the process is asked to stop (SIGTERM, SIGINT). */
  readonly stop: AbortSignal;
};

/** Exit codes, after sysexits.h. */
export const exitCodes = { ok: 0, failure: 1, usage: 64, unavailable: 69, config: 78 } as const;

/** Thrown by a command that has already told what is wrong; carries the exit code. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}
