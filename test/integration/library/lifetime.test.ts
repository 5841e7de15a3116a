import type { Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import express from 'express';
import { createPortico } from '../../../src/library.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import {
  AUTHORIZED,
  createHosted,
  hostedConfig,
  hostedEnv,
  keepLog,
  serveHost,
} from '../../support/gateway/hosted.ts';
import { useRedis } from '../../support/redis/redis-server.ts';
import { createCondition, eventually } from '../../support/time/eventually.ts';
import { onHead, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('two gateways in one process', () => {
  const redis = useRedis();

  it('leave no handle, listener or memory behind, closed and created 100 times below paths', async () => {
    const app = express();
    let handlers: readonly ReturnType<typeof express.Router>[] = [];
    let server: Server | undefined;
    app.use((req, res, next) => {
      server = (req.socket as { server?: Server }).server;
      handlers[req.path.startsWith('/a') ? 0 : 1]?.(req, res, next);
    });
    const base = await serveHost(app);
    const env = await hostedEnv();
    const config = hostedConfig();
    const one = async () => {
      const withRedis = { ...env, REDIS_URL: redis.url };
      const made = await Promise.all([withRedis, env].map((own) => createPortico({ config, env: own })));
      handlers = made.map(({ handler }, index) => express.Router().use(index === 0 ? '/a' : '/b', handler));
      for (const path of ['a', 'b'])
        for (const asked of ['v1/users?limit=1', 'legacy/orders'])
          expect((await fetch(`${base}/${path}/${asked}`, { headers: AUTHORIZED })).status).toBe(200);
      await Promise.all(made.map(({ close }) => close()));
      handlers = [];
    };
    const listenersOf = (emitter: Server | NodeJS.Process = process) =>
      emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
    const look = () => {
      collectGarbage();
      return {
        handles: process.getActiveResourcesInfo().length,
        listeners: [listenersOf(), listenersOf(server)],
        heap: process.memoryUsage().heapUsed,
      };
    };
    for (let warm = 0; warm < 20; warm += 1) await one();
    const before = look();
    for (let time = 0; time < 80; time += 1) await one();
    await eventually(() => look().handles <= before.handles);
    const after = look();
    expect(after.listeners).toEqual(before.listeners);
    // Of 160 gateways. One that stayed would be 1.1 MiB; what grows by 1 MiB in all is code that V8 has compiled.
    expect((after.heap - before.heap) / 2 ** 20).toBeLessThan(4);
  });

  it('share nothing: neither keys nor metrics nor a close', async () => {
    const portico = await createHosted();
    const other = await createHosted({
      config: hostedConfig({ auth: { apiKeys: { pepper: 'another-pepper-than-the-first' } } }),
    });
    const app = express().use('/a', portico.handler).use('/b', other.handler);
    const base = await serveHost(app);
    const statusOf = async (path: string) => (await fetch(base + path, { headers: AUTHORIZED })).status;
    expect(await statusOf('/b/v1/users')).toBe(401);
    await other.close();
    expect(await statusOf('/a/v1/users')).toBe(200);
    expect(await portico.metrics().metrics()).toContain('operation="users.list",status="200"');
    expect(await other.metrics().metrics()).not.toContain('operation="users.list",status="200"');
  });
});

describe('a gateway in a host', () => {
  it('writes nothing to the output, and adds no listener of signals', async () => {
    const before = process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const written: unknown[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (...line: unknown[]) => written.push(line) > 0;
    try {
      const portico = await createHosted();
      await fetch(`${await serveHost(portico.handler)}/v1/users`);
      await portico.close();
    } finally {
      process.stdout.write = write;
    }
    expect(written).toEqual([]);
    expect(process.eventNames().map((name) => [name, process.listenerCount(name)])).toEqual(before);
  });

  it('finishes what runs when it is closed, answers nothing new, and may be closed twice', async () => {
    const changes = createCondition();
    let release: (() => void) | undefined;
    const upstream = endAfterTest(
      await startUpstream(
        onHead((socket) => {
          release = () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]');
          changes.announce();
        }),
      ),
    );
    const portico = await createHosted({}, upstream.origin);
    const base = await serveHost(portico.handler);
    const running = fetch(`${base}/legacy/orders`, { headers: AUTHORIZED });
    await changes.until(() => release, 60_000);
    const closed = [portico.close(), portico.close()];
    expect((await fetch(`${base}/v1/users`, { headers: AUTHORIZED })).status).toBe(503);
    release?.();
    expect((await running).status).toBe(200);
    await Promise.all(closed);
    await portico.close();
  });

  it('gives the lines of its log to the logger of the host, whose level it keeps', async () => {
    const { logger, lines } = keepLog();
    const portico = await createHosted({ logger });
    await fetch(`${await serveHost(portico.handler)}/v1/users`);
    expect((await portico.reload()).kind).toBe('unchanged');
    expect(lines).toContainEqual(expect.objectContaining({ operation: 'users.list', message: 'request' }));
    expect(logger.level).toBe('info');
  });

  it('opens its own listeners if it is asked to; if a port is taken, it says so and its handler serves on', async () => {
    const portico = await createHosted();
    const { port, adminPort } = await portico.listen();
    expect((await fetch(`http://127.0.0.1:${port}/v1/users`)).status).toBe(401);
    expect((await fetch(`http://127.0.0.1:${adminPort}/livez`)).status).toBe(200);
    const config = hostedConfig({ admin: { port: adminPort } });
    const second = await createHosted({ config });
    await expect(second.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const base = await serveHost(second.handler);
    expect((await fetch(`${base}/v1/users`, { headers: AUTHORIZED })).status).toBe(200);
  });

  it('answers operators by a handler of their own', async () => {
    const portico = await createHosted();
    const base = await serveHost(express().use('/ops', portico.operators));
    expect((await fetch(`${base}/ops/readyz`)).status).toBe(200);
    expect(await (await fetch(`${base}/ops/metrics`)).text()).toContain('portico_build_info');
    expect(await (await fetch(`${base}/ops/console/`)).text()).toContain('<html');
    expect(portico.status()).toMatchObject({ draining: false, config: { rev: 1 } });
    expect(portico.openapi()).toMatchObject({ openapi: '3.1.0' });
  });

  it('puts changed files in force, and refuses wrong ones with file and line while it serves on', async () => {
    const copy = endAfterTest(copyConfig());
    const portico = await createHosted({ config: copy.file });
    const base = await serveHost(portico.handler);
    copy.edit('portico.yaml', 'source: crm\n', 'source: crm\n    public: true\n');
    expect((await portico.reload()).kind).toBe('applied');
    const line = copy.edit('portico.yaml', 'source: catalog', 'source: nothing');
    const { kind, problems = [] } = await portico.reload();
    expect([kind, problems[0]]).toEqual(['refused', expect.stringContaining(`${copy.file}:${line}:`)]);
    expect((await fetch(`${base}/v1/users?limit=1`)).status).toBe(200);
  });
});
