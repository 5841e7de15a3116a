import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { env, execPath } from 'node:process';
import { FOLDER_VARIABLE } from '../secret-markers/marker-watch.ts';

const FROM_SOURCE = 'src/main.ts';
const LOOK_EVERY_MS = 50;
/** A process that dies while it installs tells nobody. */
const INSTALLED_WITHIN_MS = 120_000;

/** Installs the program in a folder as an image has it: bundled, and without its sources. Then it makes the marker file. */
function installIn(folder: string, complete: string): void {
  try {
    execFileSync(execPath, ['src/cli/build/bundle.ts', `--outdir=${join(folder, 'dist')}`]);
  } catch (error) {
    // The next process that needs it says so, too, instead of waiting for ever.
    rmSync(folder, { recursive: true });
    throw error;
  }
  cpSync('src/http/api-page/static', join(folder, 'dist/http/api-page/static'), { recursive: true });
  for (const shared of ['package.json', 'node_modules', 'config'])
    symlinkSync(resolve(shared), join(folder, shared));
  writeFileSync(complete, '');
}

/** Makes a folder, unless another process has. */
function isFirstToMake(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/**
 * The `main` of the program that tests start: bundled once per run of jest by the first process that needs it, because a
 * start from 1,450 source files takes twice the CPU time. Outside jest it is the source.
 */
export function program(): string {
  const run = env[FOLDER_VARIABLE];
  if (run === undefined) return FROM_SOURCE;
  const folder = join(run, 'program');
  const complete = join(run, 'program-is-complete');
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const giveUpAt = Date.now() + INSTALLED_WITHIN_MS;
  while (!existsSync(complete)) {
    if (Date.now() > giveUpAt) throw new Error('another process of this run did not install the program');
    if (!isFirstToMake(folder)) Atomics.wait(nothing, 0, 0, LOOK_EVERY_MS);
    else installIn(folder, complete);
  }
  return join(folder, 'dist/main.js');
}
