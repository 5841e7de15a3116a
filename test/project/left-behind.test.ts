import { startProcess } from '../support/process/running-process.ts';
import { NODE } from '../support/gateway/gateway-process.ts';
import { eventually } from '../support/time/eventually.ts';

const isAlive = (group: number) => {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
};

/** A run that starts a process which starts another one, and says the number of their group. */
const RUN = `
import { startProcess } from './test/support/process/running-process.ts';
const { pid } = startProcess('sh', ['-c', 'sleep 1000 & sleep 1000']);
process.stdout.write('started ' + pid + '\\n');
`;

describe('the processes that a run has started', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('end with it when %s ends it', async (signal) => {
    const run = startProcess(NODE, ['--input-type=module-typescript', '--eval', RUN]);
    const [, group] = await run.prints(/^started (\d+)$/m);
    expect(isAlive(Number(group))).toBe(true);
    run.signal(signal);
    expect((await run.ended).signal).toBe(signal);
    await eventually(() => !isAlive(Number(group)));
  });
});
