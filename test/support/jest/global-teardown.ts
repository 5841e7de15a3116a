import { rmSync } from 'node:fs';
import { env, stdout } from 'node:process';
import { FOLDER_VARIABLE, readTotals, reportTotals } from '../secret-markers/marker-watch.ts';

/** Tells, once per run of the tests, what secret markers came out of all that was started. Throws where it is any. */
export default function globalTeardown(): void {
  const folder = env[FOLDER_VARIABLE];
  if (folder === undefined) return;
  const totals = readTotals(folder);
  rmSync(folder, { recursive: true });
  stdout.write(`${reportTotals(totals)}\n`);
}
