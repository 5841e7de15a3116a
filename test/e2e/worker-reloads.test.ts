import { eventually } from '../support/time/eventually.ts';
import { startLoad } from '../support/client/keep-alive-load.ts';
import { describeOnRequest } from '../support/jest/describe-on-request.ts';
import { startWorkers, type WorkerGateway } from '../support/gateway/worker-gateway.ts';

let gateway: WorkerGateway;
const openapi = () => `${gateway.url}/v1/openapi.json`;
const bearer = () => ({ authorization: `Bearer ${gateway.keys.roomy}`, connection: 'close' });
const statusOf = async (path: string) => (await fetch(gateway.url + path, { headers: bearer() })).status;
const count = (msg: string) => gateway.logged((line) => line.msg === msg).length;

// A dozen processes come and go; `workers.test.ts` always runs.
describeOnRequest('FLEETS', 'workers that come and go', () => {
  beforeAll(async () => {
    gateway = await startWorkers(2);
  });
  afterAll(() => gateway.stop());

  describe('SIGHUP', () => {
    it('replaces the workers one by one with the new configuration, and fails no request', async () => {
      expect(await statusOf('/v1/users?limit=500')).toBe(400);
      const load = startLoad(openapi(), 20);
      await load.more(100);
      gateway.config.edit(
        'portico.yaml',
        'passthrough:',
        'contract: { limitOverflow: clamp }\n\npassthrough:',
      );
      gateway.process.signal('SIGHUP');
      await gateway.untilLogged(({ msg }) => msg === 'the new configuration is in force');
      const answers = await Promise.all(Array.from({ length: 8 }, () => statusOf('/v1/users?limit=500')));
      expect(new Set(answers)).toEqual(new Set([200]));
      await load.stop();
      expect(load.failures).toEqual([]);
      expect(count('a worker has left')).toBe(2);
      // What the old ones counted is not forgotten.
      expect(await gateway.counted('portico_requests_total', 'operation="openapi"')).toBe(load.answered);
    });

    it('refuses a broken configuration with the reason, and goes on with the old one, also after a crash', async () => {
      gateway.config.edit('portico.yaml', 'limitOverflow: clamp', 'limitOverflow: clamps');
      gateway.process.signal('SIGHUP');
      const { problems } = await gateway.untilLogged(({ problems }) => problems !== undefined);
      expect(problems?.join('\n')).toMatch(/portico\.yaml:\d+:\d+: contract\.limitOverflow: /);
      expect(await gateway.counted('portico_reloads_total', 'outcome="refused"')).toBe(1);

      const victim = gateway.logged(({ msg }) => msg === 'a worker serves').at(-1)!.worker!;
      process.kill(victim, 'SIGKILL');
      await gateway.untilLogged(({ msg, worker }) => msg === 'a worker has died' && worker === victim);
      await eventually(async () => (await gateway.counted('portico_workers', 'phase="serving"')) === 2, {
        withinMs: 60_000,
      });
      const answers = await Promise.all(Array.from({ length: 8 }, () => statusOf('/v1/users?limit=500')));
      expect(new Set(answers)).toEqual(new Set([200]));
    });

    it('refuses a configuration with which no worker can serve', async () => {
      gateway.config.edit('portico.yaml', 'limitOverflow: clamps', 'limitOverflow: clamp');
      gateway.config.edit('portico.yaml', 'port: ${PORT:-8080}', `port: ${new URL(gateway.adminUrl).port}`);
      gateway.process.signal('SIGHUP');
      await gateway.untilLogged(({ msg }) => msg.startsWith('the new configuration is refused: no worker'));
      expect(await statusOf('/v1/users?limit=500')).toBe(200);
    });
  });

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
