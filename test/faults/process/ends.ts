import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { startLoad } from '../../support/client/keep-alive-load.ts';
import { runPortico } from '../../support/gateway/gateway-process.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { startBalancer } from '../harness/harm/balancer.ts';
import type { FaultBench } from '../harness/bench.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import { inject } from '../harness/harm/injected.ts';
import type { BenchRow } from '../harness/row.ts';

const END_MS_MAX = 10_000;

/** A replica that tells balancers for a while that it leaves. */
const replica = (bench: FaultBench) =>
  bench.gateway({
    config: {
      listen: { drain: '1s' },
      resources: { users: { public: true } },
      limits: { anonymousTier: 'bench' },
    },
    mayEnd: true,
  });

/** Has a process end in good order; milliseconds until it had. */
async function leave({ process }: FaultGateway): Promise<number> {
  const askedAt = performance.now();
  process.signal('SIGTERM');
  assert.deepEqual(await process.ended, { code: 0, signal: null });
  return performance.now() - askedAt;
}

const terminated: BenchRow = {
  id: 'P1',
  name: 'SIGTERM under fifty clients on kept-alive connections – not ready, serves on while balancers take note, loses no request, ends with 0 within ten seconds',
  async run(bench) {
    const gateway = await replica(bench);
    const load = startLoad(`${gateway.url}/v1/users?limit=2`, 50, { untilClosed: true });
    await load.more(500);
    const endMs = await leave(gateway);
    await load.stop();
    assert.deepEqual(load.failures, []);
    bench.atMost('ms to the end', endMs, END_MS_MAX);
    return { answered: load.answered, failed: load.failures.length, 'end ms': endMs };
  },
};

const rolled: BenchRow = {
  id: 'P1',
  name: 'three replicas behind a balancer are restarted one by one, under thirty clients – no request fails',
  async run(bench) {
    const replicas = await Promise.all([1, 2, 3].map(() => replica(bench)));
    const balancer = bench.own(await startBalancer(replicas));
    const load = startLoad(`http://127.0.0.1:${balancer.port}/v1/users?limit=2`, 30);
    await load.more(300);
    const startedAt = performance.now();
    let endMs = 0;
    for (const old of replicas) {
      endMs = Math.max(endMs, await leave(old));
      const fresh = await replica(bench);
      await bench.until(() => fresh.isReady());
      balancer.replace(old, fresh);
      await load.more(100);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    await load.stop();
    assert.deepEqual(load.failures, []);
    bench.atMost('ms to the longest end', endMs, END_MS_MAX);
    return { answered: load.answered, failed: load.failures.length, 'end ms': endMs, seconds };
  },
};

const killed: BenchRow = {
  id: 'P2',
  name: 'SIGKILL while answers are written to the cache; a second SIGTERM – gateways that share the cache find whole answers in it; the second signal ends the process at once',
  async run(bench) {
    const redis = await bench.redis();
    const config = { redis: { url: redis.url }, listen: { drain: '20s' }, cache: { localSeconds: '0s' } };
    const [first, second] = await Promise.all([
      bench.gateway({ config, mayEnd: true }),
      bench.gateway({ config, mayEnd: true }),
    ]);
    const paths = Array.from({ length: 100 }, (_, n) => `/v1/users?limit=${1 + n}`);
    const asked = paths.map((path) => first.ask(path).catch(() => undefined));
    await Promise.race(asked);
    first.process.signal('SIGKILL');
    await Promise.all(asked);
    const key = first.storedKeys[0]!;
    const entries = await second.withStored(
      async ({ client }) => (await client.keys('portico:cache:*')).length,
    );
    // Each answer is held against the truth by the harness.
    for (const path of paths) assert.equal((await second.ask(path, { key, entitled: true })).status, 200);
    const damaged = await second.counted('portico_cache_events_total', 'result="damaged"');
    assert.equal(damaged, 0);
    second.process.signal('SIGTERM');
    await second.process.prints(/"msg":"draining"/);
    await bench.sleep(1_050);
    const askedAt = performance.now();
    second.process.signal('SIGTERM');
    assert.equal((await second.process.ended).code, 1);
    const endMs = performance.now() - askedAt;
    bench.atMost('ms to the end', endMs, 500);
    return { entries, damaged, 'end ms': endMs };
  },
};

/** Has an error escape in a process under load; the line of the log for it. */
async function escape(bench: FaultBench, code: string) {
  const injected = bench.own(inject(code));
  const gateway = await bench.gateway({
    env: injected.env,
    config: {
      // A request that comes while it leaves must find it there, also where the machine is busy.
      listen: { drain: bench.strict ? '200ms' : '3s' },
      resources: { users: { public: true } },
      limits: { anonymousTier: 'bench' },
    },
    mayEnd: true,
    mayFail: true,
  });
  const load = startLoad(`${gateway.url}/v1/users?limit=2`, 10, { untilClosed: true });
  await load.more(50);
  const askedAt = performance.now();
  gateway.process.signal('SIGUSR2');
  const { code: exitCode } = await gateway.process.ended;
  const endMs = performance.now() - askedAt;
  await load.stop();
  assert.deepEqual(load.failures, []);
  assert.equal(exitCode, 1);
  const fatal = gateway.log().filter(({ level }) => level === 60);
  assert.equal(fatal.length, 1);
  return { cause: String(fatal[0]!['cause']), endMs, answered: load.answered };
}

const escaped: BenchRow = {
  id: 'P6',
  name: 'an error that nobody catches: thrown by a timer, by a rejected promise – one fatal line without a secret, everything under way is answered, ends with 1',
  async run(bench) {
    const found = await Promise.all([
      escape(
        bench,
        `setTimeout(() => { throw Object.assign(new Error('planted'), { config: '${bench.secretMarker}' }); })`,
      ),
      escape(
        bench,
        `void Promise.reject(Object.assign(new TypeError('planted'), { config: '${bench.secretMarker}' }))`,
      ),
    ]);
    for (const { cause } of found) {
      assert.match(cause, /Error: planted < at/);
      assert.ok(!cause.includes(bench.secretMarker));
    }
    const endMs = Math.max(...found.map((one) => one.endMs));
    bench.atMost('ms to the end', endMs, END_MS_MAX);
    return { answered: found.reduce((sum, { answered }) => sum + answered, 0), failed: 0, 'end ms': endMs };
  },
};

const unfit: BenchRow = {
  id: 'P10',
  name: 'no configuration, a bad one, a secret that is not set, a port that is taken – ends at once with a line that says what and where: 78 for the configuration, 1 for the port; no secret in it',
  // test/e2e/config-errors.test.ts shows the same in the suite.
  async run(bench) {
    const taken = createServer().listen(0, '127.0.0.1');
    bench.own(taken);
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const copy = copyConfig();
    bench.own({ close: () => copy.remove() });
    writeFileSync(
      copy.file,
      `portico: 1\nauth: { apiKeys: { pepper: '${bench.secretMarker}' } }\nlistn: {}\nresources: {}\n`,
    );
    const cases = [
      { args: ['--config', '/nowhere/portico.yaml'], code: 78, says: /\/nowhere\/portico\.yaml/ },
      { args: ['--config', copy.file], code: 78, says: /listn/ },
      { args: [], env: { PORT: 'many' }, code: 78, says: /port/ },
      {
        args: [],
        env: { HOST: '127.0.0.1', PORT: port, ADMIN_PORT: '0' },
        code: 1,
        says: new RegExp(`port ${port} \\(EADDRINUSE\\)`),
      },
    ];
    const startedAt = performance.now();
    await Promise.all(
      cases.map(async ({ args, env = {}, code, says }) => {
        const ended = await runPortico([...args, 'start'], { ...bench.samples.env, ...env });
        assert.equal(ended.code, code, ended.err);
        assert.match(ended.err, says);
        assert.ok(!(ended.err + ended.out).includes(bench.secretMarker));
        assert.ok(!/^\s+at /m.test(ended.err), 'no stack');
      }),
    );
    return { 'ms for all four': performance.now() - startedAt };
  },
};

/** How a process ends, and does not begin. */
export const processEnds: readonly BenchRow[] = [terminated, rolled, killed, escaped, unfit];
