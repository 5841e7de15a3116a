import { startLoad } from '../support/client/keep-alive-load.ts';
import { describeOnRequest } from '../support/jest/describe-on-request.ts';
import { startWorkers, type WorkerGateway } from '../support/gateway/worker-gateway.ts';

let gateway: WorkerGateway;
const openapi = () => `${gateway.url}/v1/openapi.json`;

// `workers.test.ts` always runs.
describeOnRequest('FLEETS', 'workers that are asked to end', () => {
  beforeAll(async () => {
    gateway = await startWorkers(2);
  });
  afterAll(() => gateway.stop());

  describe('SIGTERM', () => {
    it('drains all workers: no request fails, and the exit code is 0', async () => {
      const load = startLoad(openapi(), 20, { untilClosed: true });
      await load.more(100);
      gateway.process.signalGroup('SIGTERM');
      await gateway.process.prints(/"msg":"draining"/);
      expect((await fetch(`${gateway.adminUrl}/readyz`)).status).toBe(503);
      await load.stop();
      expect(load.failures).toEqual([]);
      expect(await gateway.process.ended).toEqual({ code: 0, signal: null });
      expect(gateway.process.isGroupAlive()).toBe(false);
    });
  });
});
