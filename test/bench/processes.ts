import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The Node that every script of the project runs on. */
export const NODE = join(import.meta.dirname, '../../node_modules/.bin/node');

/** Which core: the server that is measured has one for itself; load, Redis and the legacy service share another. */
export type Core = 'server' | 'load';

/** A process that runs until it is stopped. */
export type Running = { readonly pid: number; readonly startedAt: number; stop(): Promise<void> };

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Whether each server has a core of its own; without it, figures say less. */
export const isPinned = canPin;

let serverPrefix: readonly string[] = [];

/** Has each server that is started from now on run by another program, which stands before its command. */
export function startServersWith(prefix: readonly string[]): void {
  serverPrefix = prefix;
}

function pinned(core: Core, command: string, args: readonly string[]): readonly [string, readonly string[]] {
  const isServer = core === 'server';
  const pin = canPin ? ['taskset', '-c', isServer ? '0' : '1'] : [];
  const [program = '', ...programArgs] = [...pin, ...(isServer ? serverPrefix : []), command, ...args];
  return [program, programArgs];
}

/** Ends a process, and with SIGTERM first, because nginx takes its workers along only then. */
function stopper(child: ChildProcess): () => Promise<void> {
  return () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) {
        resolve();
        return;
      }
      const timer = setTimeout(() => child.kill('SIGKILL'), 500);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      child.kill('SIGTERM');
    });
}

export type StartOptions = {
  readonly core: Core;
  readonly env?: Readonly<Record<string, string>>;
  /** Where standard output goes: access logs are written, as they are in earnest. */
  readonly logFile: string;
};

/** Starts a process; its standard error is handed on line by line. */
export function start(
  command: string,
  args: readonly string[],
  { core, env = {}, logFile }: StartOptions,
  onLine: (line: string) => void = () => undefined,
): Running {
  const startedAt = performance.now();
  const log = openSync(logFile, 'a');
  const [program, programArgs] = pinned(core, command, args);
  const child = spawn(program, programArgs, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', log, 'pipe'] as const,
  });
  // A pipe, by `stdio`; the type cannot know.
  if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', onLine);
  return { pid: child.pid ?? 0, startedAt, stop: stopper(child) };
}

/** A server that runs in Valgrind takes so long. */
const LISTENS_WITHIN_MS = 120_000;

/** Starts a server that prints `listening <port>` on standard error. @throws Error with what it printed instead */
export function startListening(
  command: string,
  args: readonly string[],
  options: StartOptions,
): Promise<Running & { url: string }> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    const name = args[0] ?? command;
    const timer = setTimeout(
      () => reject(new Error(`${name} does not listen:\n${said.join('\n')}`)),
      LISTENS_WITHIN_MS,
    );
    const running = start(command, args, options, (line) => {
      said.push(line);
      const [, port] = /^listening (\d+)$/.exec(line) ?? [];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve({ ...running, url: `http://127.0.0.1:${port}` });
    });
  });
}

/** Starts a Node script that prints `listening <port>` on standard error. @throws Error with what it printed instead */
export function startScript(script: string, options: StartOptions): Promise<Running & { url: string }> {
  return startListening(NODE, [script], options);
}

/** Runs a Node script to its end and answers what it printed. @throws Error where it failed */
export function runScript(
  script: string,
  args: readonly string[],
  core: Core,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program, programArgs] = pinned(core, NODE, [script, ...args]);
    const child = spawn(program, programArgs, { env: { ...process.env, ...env } });
    const printed: Buffer[] = [];
    const complained: Buffer[] = [];
    child.stdout.on('data', (bytes: Buffer) => printed.push(bytes));
    child.stderr.on('data', (bytes: Buffer) => complained.push(bytes));
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(printed).toString());
      else
        reject(new Error(`${script} ended with ${String(code)}:\n${Buffer.concat(complained).toString()}`));
    });
  });
}
