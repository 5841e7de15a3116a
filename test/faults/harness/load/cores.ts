import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

const COUNT = cpus().length;
/** The gateway that is measured has the first core for itself; its callers and its sources share the second. */
const CORES = { gateway: '0', load: '1', any: `0-${COUNT - 1}` } as const;

/** Has a process, with all its threads, run on these cores only, where there are several and `taskset`; tells whether. */
export function pin(pid: number, cores: keyof typeof CORES): boolean {
  if (COUNT < 2) return false;
  return spawnSync('taskset', ['-a', '-c', '-p', CORES[cores], String(pid)]).status === 0;
}
