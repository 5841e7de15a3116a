// An empty place in which a package is installed, and how its program is awaited and stopped there.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultBench } from '../faults/harness/bench.ts';
import { createFolder } from '../support/process/folder.ts';
import type { RunningProcess } from '../support/process/running-process.ts';
import { nodeOf, type Place } from './install.ts';

/** The key of the demo. */
export const KEY = 'a-key-for-the-package';
/** The program, from the folder in which the package is installed. */
export const PORTICO = 'node_modules/.bin/portico';

/** Waits for an answer of 200 to a request, by default with the key of the demo, and says how long after the start of a measurement it came. */
export async function answered(
  bench: FaultBench,
  running: RunningProcess,
  url: string,
  since: number,
  headers: Record<string, string> = { 'x-api-key': KEY },
): Promise<number> {
  await bench.until(
    async () => {
      if (!running.isGroupAlive()) throw new Error(`it has ended: ${running.out}${running.err}`);
      const answer = await fetch(url, { headers }).catch(() => undefined);
      return answer?.status === 200;
    },
    60_000,
    5,
  );
  return performance.now() - since;
}

/** Asks a process to stop, and holds it to that: code 0, and nothing on standard error. */
export async function stop(running: RunningProcess): Promise<void> {
  running.signal('SIGTERM');
  assert.deepEqual(await running.ended, { code: 0, signal: null });
  assert.equal(running.err, '');
}

/** An empty folder, and an empty home, for one Node. */
export async function placeOn(version: string, bench: FaultBench): Promise<Place> {
  const made = createFolder('package');
  bench.own({ close: () => made.remove() });
  const place = { folder: join(made.path, 'own'), home: join(made.path, 'home') };
  for (const folder of Object.values(place)) mkdirSync(folder);
  return { ...place, bin: await nodeOf(version, join(made.path, 'node')) };
}
