import type { WorkerProcess } from '../../../../src/gateway/workers/messages.ts';
import { createWorkerLink } from '../../../../src/gateway/workers/worker-link.ts';

/** A worker to which some messages cannot be written, as Node does it with those that are nested too deep. */
const unreachable: WorkerProcess = {
  id: 1,
  pid: 1,
  send: () => Promise.reject(new RangeError('Maximum call stack size exceeded')),
  onMessage: () => undefined,
  onExit: () => undefined,
  kill: () => undefined,
};

describe('a question to a worker', () => {
  it('fails where it cannot be written as a message, and leaves no rejection that would end the primary', async () => {
    const link = createWorkerLink(unreachable, () => undefined);
    await expect(link.ask({ about: 'state' }, 60_000)).rejects.toThrow('Maximum call stack size exceeded');
  });
});
