import { spawnSync } from 'node:child_process';

const hint =
  'The tests need a real Redis: install the package redis-server (Debian, Ubuntu) or redis (Homebrew).';

function works(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && works('apt-get', '--version');
}

/**
 * Makes sure, once per run of the tests, that `redis-server` is installed. Throws one line that says what to
 * install where it cannot do so itself.
 */
export default function globalSetup(): void {
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
