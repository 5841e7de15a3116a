import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultBench } from '../faults/harness/bench.ts';
import { inject } from '../faults/harness/harm/injected.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { startGatewayProcess } from '../support/gateway/gateway-process.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

/** A heap snapshot, as far as it is looked at: every text of the heap is among its strings. */
type HeapSnapshot = { readonly strings: readonly string[] };

/** A whole heap is written down, on a machine that may be busy. */
const HEAP_MS = 300_000;

/** Makes what has a process write down its heap, after a collection, when it is asked to. */
function createHeapReader(bench: FaultBench) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-heap-'));
  const fileOf = 'process.pid + ".heapsnapshot"';
  const injected = inject(
    `process.getBuiltinModule('v8').writeHeapSnapshot(${JSON.stringify(`${folder}/`)} + ${fileOf});
     process.stderr.write('heap of ' + process.pid + '\\n');`,
  );
  bench.own(injected);
  bench.own({ close: () => rmSync(folder, { recursive: true }) });
  return {
    env: injected.env,
    async texts(pid: number, told: () => string): Promise<HeapSnapshot['strings']> {
      process.kill(pid, 'SIGUSR2');
      await bench.until(() => told().includes(`heap of ${pid}\n`), HEAP_MS);
      return (JSON.parse(readFileSync(join(folder, `${pid}.heapsnapshot`), 'utf8')) as HeapSnapshot).strings;
    },
  };
}

const SECRETS = ['pepper', 'password', 'orders-token'] as const;

/** Writes each secret to a file of its own, as a mounted secret is; returns what they say now. */
function writeSecrets(folder: string, state: string): readonly string[] {
  return SECRETS.map((name) => {
    const text = `a-${name}-that-is-${state}-everywhere`;
    writeFileSync(join(folder, name), text);
    return text;
  });
}

async function rotate(bench: FaultBench, workers: number) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-secrets-'));
  bench.own({ close: () => rmSync(folder, { recursive: true }) });
  const config = copyConfig();
  bench.own({ close: () => config.remove() });
  config.drop('fixtures');
  config.useGenerousTimeouts();
  const mounted = (name: (typeof SECRETS)[number]) => `\${file:${join(folder, name)}}`;
  config.edit('portico.yaml', 'workers: ${WORKERS:-1}', `workers: ${workers}`);
  config.edit('portico.yaml', '${PORTICO_KEY_PEPPER:-a-pepper-for-trying-out-only}', mounted('pepper'));
  config.edit('portico.yaml', '${ORDERS_TOKEN:-orders-sample-token}', mounted('orders-token'));
  config.edit('portico.yaml', '    permission: orders:read\n', '    permission: null\n');
  config.edit('portico.yaml', '    source: crm\n', '    source: crm\n    public: true\n');
  config.edit('sources/crm.yaml', '${USERS_PASSWORD:-crm-sample-password}', mounted('password'));
  const first = writeSecrets(folder, 'old');

  const heap = createHeapReader(bench);
  const redis = workers > 1 ? { REDIS_URL: (await bench.redis()).url } : undefined;
  const env = { ...bench.samples.env, ...redis, ...heap.env };
  const gateway = bench.own(await startGatewayProcess(env, config.file));
  async function use(): Promise<void> {
    for (const path of ['/v1/users?limit=2', '/legacy/orders'])
      await (await fetch(gateway.url + path)).arrayBuffer();
  }
  await use();
  const second = writeSecrets(folder, 'new');
  const { kind, processes } = (await gateway.reload()).outcome;
  await use();
  const pids = new Set([gateway.process.pid, ...processes.map(({ pid }) => pid)]);
  const found: string[] = [];
  let known = 0;
  for (const pid of pids) {
    const texts = await heap.texts(pid, () => gateway.process.err);
    found.push(...first.filter((secret) => texts.some((text) => text.includes(secret))));
    known += second.filter((secret) => texts.some((text) => text.includes(secret))).length;
  }
  return promised(kind === 'applied' && found.length === 0 && known === SECRETS.length * pids.size, {
    processes: pids.size,
    'new ones found': known,
    'old ones found': found.join(', ') || 'none',
  });
}

const rotated = (id: string, workers: number): BenchRow => ({
  id,
  name: `secrets that were rotated are in the memory of no process after the reload, ${workers === 1 ? 'one process' : `${workers} workers`}`,
  // A test of the gateway without a process is in `npm test`: writing a whole heap takes seconds.
  run: (bench) => rotate(bench, workers),
});

/** What a reload must let go of. */
export const rotatedSecretRows: readonly BenchRow[] = [
  rotated('rotated-secrets-1', 1),
  rotated('rotated-secrets-2', 2),
];
