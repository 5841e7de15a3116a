#!/usr/bin/env node
/** The process: the only file that touches `process`. Everything else is handed what it needs. */
import { runCli } from './cli/program.ts';

const stop = new AbortController();

/** The first signal asks for an orderly end, the second one ends at once. */
function onSignal(): void {
  if (stop.signal.aborted) process.exit(1);
  stop.abort();
}

process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  nodeVersion: process.version,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  stop: stop.signal,
});
