#!/usr/bin/env node
/** Starts the process. Only this file touches `process` and `cluster`; it hands the other files what they need of them. */
import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { availableParallelism, hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { WriteStream } from 'node:tty';
import { fileURLToPath } from 'node:url';
import type { Terminal } from './cli/context/context.ts';
import type { LogOutput } from './cli/output/log-output.ts';
import type { FromWorker, PrimaryChannel, ToWorker, WorkerProcess } from './gateway/workers/messages.ts';

const stop = new AbortController();
/** The variable that marks workers of this program, because another program may run Portico in a cluster of its own. */
const WORKER_VARIABLE = 'PORTICO_WORKER';
/** How long a process may drain after an uncaught error. */
const FATAL_END_MS = 12_000;
/** How long a process whose gateway has ended waits for work that is left. */
const LEFTOVERS_MS = 250;
const isWorker = cluster.isWorker && process.env[WORKER_VARIABLE] === '1';

const logs: LogOutput[] = [];
let firstSignalAt = 0;
// An object, because TypeScript would take a `let` for never changed at the end of this file.
const failure = { happened: false };

/** Exits at once, even if the log is not written completely. */
function endNow(): never {
  for (const log of logs) log.abandon();
  process.exit(1);
}

/** After an uncaught error the state is unknown, so the process finishes its running requests and exits. */
function onUncaught(error: unknown): void {
  const line = fatalLine(error, process.pid);
  const [log] = logs;
  if (log === undefined) process.stderr.write(line);
  else log.write(line);
  if (failure.happened) return;
  failure.happened = true;
  if (log === undefined) process.exit(1);
  setTimeout(endNow, FATAL_END_MS).unref();
  stop.abort();
}

/**
 * The first signal starts a drain, a later one exits at once. Under `npm run` one Ctrl-C arrives twice, from the
 * terminal and from npm, so signals within a second count as one.
 */
function onSignal(): void {
  if (stop.signal.aborted && performance.now() - firstSignalAt > 1_000) {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    endNow();
  }
  firstSignalAt ||= performance.now();
  stop.abort();
}

/** Makes the function that sends messages to another process; none are sent to one that has ended. */
function sender(to: Pick<ChildProcess, 'connected' | 'send'>) {
  return (message: object) =>
    new Promise<void>((resolve) => {
      if (to.connected) to.send(message, () => resolve());
      else resolve();
    });
}

function fork(): WorkerProcess {
  const worker = cluster.fork({ [WORKER_VARIABLE]: '1' });
  closeUnacceptedOnExit(worker.process);
  // The exit event reports a worker that has ended.
  worker.on('error', () => undefined);
  return {
    id: worker.id,
    pid: worker.process.pid,
    send: sender(worker.process),
    onMessage: (listener) => void worker.on('message', (message: FromWorker) => listener(message)),
    onExit: (listener) => void worker.on('exit', (code, signal) => listener({ code, signal })),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

const primary: PrimaryChannel | undefined = isWorker
  ? {
      send: sender(process as Pick<ChildProcess, 'connected' | 'send'>),
      onMessage: (listener) => void process.on('message', (message) => listener(message as ToWorker)),
    }
  : undefined;

// The reader of the output may have closed it (`portico keys list | head -1`); that must not end the gateway.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
// A terminal signals the whole process group, but only the primary acts on it. A worker ends when the primary does.
process.on('SIGTERM', isWorker ? () => undefined : onSignal);
process.on('SIGINT', isWorker ? () => undefined : onSignal);
if (isWorker) process.on('SIGHUP', () => undefined);

/** The terminal behind a stream, if its lines can be overwritten. */
function terminalOf(stream: WriteStream): Terminal | undefined {
  if (!stream.isTTY || process.env['TERM'] === 'dumb') return undefined;
  const seen = {
    isTTY: true,
    // A terminal that does not know its size reports 0.
    get columns() {
      return stream.columns || 80;
    },
    get rows() {
      return stream.rows || 24;
    },
    write: (text: string) => stream.write(text),
  };
  return { stream: seen, hasColours: stream.hasColors() };
}

/** Asks a question on the terminal. Ctrl-C there is a signal like any other. */
async function ask(question: string): Promise<string> {
  const line = createInterface({ input: process.stdin, output: process.stderr });
  line.on('SIGINT', onSignal);
  try {
    return await line.question(question, { signal: stop.signal });
  } finally {
    line.close();
  }
}

/** The user who runs this process. In a container, a user may have a number but no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Ends if Node is older than `engines` of package.json asks for, because later errors would not say that this is the cause. */
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 15)) return;
  process.stderr.write(`portico: this is Node ${process.version}; install Node 22.15 or newer\n`);
  process.exit(1);
}

/**
 * The folder that keeps compiled code, so that a start is faster: the one that a build has filled, or else one in the
 * cache of the user, which the first start fills. It is bound to Node's version and the processor, so no package has it.
 */
function compileCache(): string | undefined {
  const built = fileURLToPath(new URL('./compile-cache', import.meta.url));
  if (existsSync(built)) return built;
  if (import.meta.url.endsWith('.ts')) return undefined;
  const { XDG_CACHE_HOME, HOME } = process.env;
  const inHome = HOME && join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache');
  const folder = XDG_CACHE_HOME || inHome;
  return folder && join(folder, 'portico');
}

refuseOldNode();
const compiled = compileCache();
if (compiled) nodeModule.enableCompileCache(compiled);
// Otherwise zod compiles code for each schema, a tenth of a start, although a configuration uses each once. Its own function for
// this setting would come too late, because it is loaded together with the schemas.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
// Imported only now: the old Node and the compile cache must be handled before these files are loaded.
const { processParts, runCli } = await import('./cli/program.ts');
const { closeUnacceptedOnExit, fatalLine, openLogOutput } = processParts;
process.on('uncaughtException', onUncaught);
const exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  nodeVersion: process.version,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  terminals: { out: terminalOf(process.stdout), err: terminalOf(process.stderr) },
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
  openLog(shared = false) {
    const log = openLogOutput(shared);
    logs.push(log);
    return log;
  },
  processes: {
    pid: process.pid,
    host: hostname(),
    user: userName(),
    cores: availableParallelism(),
    cpuMs: () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
    primary,
    fork,
    // If the output is a terminal, this signal says that the terminal is closed.
    onHangUp: (listener) => void process.on('SIGHUP', process.stdout.isTTY ? onSignal : listener),
  },
  stop: stop.signal,
});
process.exitCode = failure.happened ? 1 : exitCode;
const written = await Promise.all(logs.map((log) => log.end()));
// Exits with the code of the failure. Otherwise a worker that ends because its channel was closed would exit with 0.
if (failure.happened || written.includes(false)) process.exit();
// A library may still wait for something, such as its next try at a collector. The process ends nevertheless.
if (logs.length > 0) setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
// The channel to the primary would keep a worker alive.
if (isWorker) process.disconnect();
