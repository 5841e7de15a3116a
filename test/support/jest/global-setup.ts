import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { FOLDER_VARIABLE } from '../secret-markers/marker-watch.ts';
import { compileCache } from '../process/compile-cache.ts';

const hint =
  'The tests need a real Redis: install the package redis-server (Debian, Ubuntu) or redis (Homebrew).';

function works(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && works('apt-get', '--version');
}

function needRedis(): void {
  if (works('redis-server', '--version')) return;
  const installed =
    mayInstall() &&
    works('apt-get', 'update') &&
    works('apt-get', 'install', '-y', '--no-install-recommends', 'redis-server') &&
    works('redis-server', '--version');
  if (installed) return;
  const problem = new Error(hint);
  problem.stack = hint;
  throw problem;
}

/**
 * Once per run of the tests: makes sure that `redis-server` is installed, or throws one line that says what to install
 * where it cannot do so itself; a folder for what is found in the outputs; and a compile cache for the workers.
 */
export default function globalSetup(): void {
  needRedis();
  env[FOLDER_VARIABLE] = mkdtempSync(join(tmpdir(), 'portico-markers-'));
  env['NODE_COMPILE_CACHE'] = compileCache();
}
