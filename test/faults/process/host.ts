import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { connectRaw, type RawConnection, request } from '../../support/client/raw-client.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import { offer } from '../harness/load/offer.ts';
import type { BenchRow } from '../harness/row.ts';

const MIB = 1024 ** 2;
const rssMib = async (gateway: FaultGateway) =>
  (await gateway.counted('process_resident_memory_bytes')) / MIB;

const unread: BenchRow = {
  id: 'P8',
  name: 'nobody reads the log for a while – requests are answered as before, and every line comes once somebody reads',
  async run(bench) {
    const gateway = await bench.gateway();
    const path = (n: number) => `/v1/users?limit=${1 + (n % 5)}`;
    const before = await gateway.load(() => bench.sleep(200), { path });
    gateway.process.readOutput(false);
    let asked = 0;
    // Beyond what any pipe holds (64 to 208 KiB).
    const meanwhile = await gateway.load(() => bench.until(() => asked > 1_500, 20_000), {
      path: (n) => ((asked += 1), path(n)),
      pauseMs: 0,
      callers: 20,
    });
    assert.deepEqual(Object.keys(meanwhile.statuses), ['200']);
    gateway.process.readOutput(true);
    const lines = () => gateway.log().filter(({ msg }) => msg === 'request').length;
    const answered = before.answers.length + meanwhile.answers.length;
    await bench.until(() => lines() === answered);
    return {
      'p99 before': before.quantileMs(0.99),
      'p99 meanwhile': meanwhile.quantileMs(0.99),
      lost: answered - lines(),
    };
  },
};

const neverRead: BenchRow = {
  id: 'P8',
  name: 'nobody reads the log, for longer than lines are kept; then SIGTERM – requests are answered, memory is bounded, lost lines are counted; ends with 0 within ten seconds all the same',
  async run(bench) {
    const gateway = await bench.gateway({ mayEnd: true });
    const plan = {
      ports: [gateway.port],
      request: request('GET', '/v1/users?limit=2', [`X-API-Key: ${gateway.configuredKey}`]),
      connections: 32,
      obeys: true,
      warmSeconds: 0,
    };
    await offer({ ...plan, perSecond: 4_000, seconds: 3 });
    const before = await rssMib(gateway);
    gateway.process.readOutput(false);
    const met = await offer({ ...plan, perSecond: 6_000, seconds: 10 });
    assert.deepEqual([met.refused, met.other, met.broken], [0, 0, 0]);
    const lost = await gateway.counted('portico_log_lines_dropped_total');
    const more = (await rssMib(gateway)) - before;
    assert.ok(lost > 0, `${met.good} answers, and no line lost`);
    bench.atMost('MiB more', more, 100);
    const askedAt = performance.now();
    gateway.process.signal('SIGTERM');
    // It can be told only by the process itself: its pipes are not closed before they are read.
    await bench.until(() => !gateway.process.isGroupAlive(), 15_000);
    const endMs = performance.now() - askedAt;
    gateway.process.readOutput(true);
    assert.deepEqual(await gateway.process.ended, { code: 0, signal: null });
    bench.atMost('ms to the end', endMs, 10_000);
    return { requests: met.good, lost, 'MiB more': more, 'end ms': endMs };
  },
};

/** How many descriptors a process may have open, from now on. */
function limitFiles(pid: number, most: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${String(most)}:`]);
}

const filesOf = (pid: number) => readdirSync(`/proc/${String(pid)}/fd`).length;

const noFiles: BenchRow = {
  id: 'P9',
  name: 'no descriptors are left (EMFILE) – connected clients get kept answers, and 503 for what needs a new connection; all is well once there are some again',
  fast: true,
  async run(bench) {
    const gateway = await bench.gateway({ config: { resources: { users: { cache: { fresh: '60s' } } } } });
    const { pid } = gateway.process;
    assert.equal((await gateway.ask('/v1/users?limit=2')).status, 200);
    limitFiles(pid, filesOf(pid) + 20);
    const crowd: RawConnection[] = [];
    for (let n = 0; n < 60; n += 1) crowd.push(await connectRaw(gateway.port));
    await bench.sleep(100);
    const kept = await gateway.ask('/v1/users?limit=2');
    assert.equal(kept.status, 200);
    const fresh = await gateway.ask('/v1/products?limit=3');
    assert.ok([200, 502, 503].includes(fresh.status), fresh.body);
    for (const connection of crowd) connection.close();
    limitFiles(pid, 1_024);
    const recoveredMs = await bench.until(async () => {
      const answers = await Promise.all(
        [1, 2, 3, 4, 5].map((n) => gateway.ask(`/v1/products?limit=${10 + n}`)),
      );
      return answers.every(({ status }) => status === 200);
    });
    bench.atMost('ms until all is well', recoveredMs, 1_000);
    return { kept: kept.status, fresh: fresh.status, 'recovered ms': recoveredMs };
  },
};

/** What the machine around a process withholds. */
export const processHost: readonly BenchRow[] = [unread, neverRead, noFiles];
