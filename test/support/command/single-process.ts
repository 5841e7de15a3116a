import type { Processes } from '../../../src/cli/context/context.ts';

/** What a command knows of processes that has only this one. */
export const aloneProcess: Processes = {
  pid: process.pid,
  host: 'test-host',
  user: 'tester',
  cores: 1,
  cpuMs: () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
  primary: undefined,
  fork() {
    throw new Error('no process is started here');
  },
  onHangUp: () => undefined,
};
