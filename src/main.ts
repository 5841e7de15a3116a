#!/usr/bin/env node
/** The process: the only file that touches `process`. Everything else is handed what it needs. */
import { pino } from 'pino';
import { runCli } from './cli/program.ts';

const stop = new AbortController();

let askedAt = 0;

/**
 * The first signal asks for an orderly end, a later one ends at once. Under `npm run` one Ctrl-C arrives twice, from
 * the terminal and from npm, so what comes within a second is the same wish.
 */
function onSignal(): void {
  if (stop.signal.aborted && performance.now() - askedAt > 1_000) process.exit(1);
  askedAt ||= performance.now();
  stop.abort();
}

// Whoever read the output may have gone (`portico keys list | head -1`); that must not end the gateway.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  nodeVersion: process.version,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  // Lines of the log are written many at a time: a system call for each would cost a tenth of a cached answer.
  openLog: () => pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 50 }),
  stop: stop.signal,
});
