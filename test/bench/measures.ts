import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Portico } from './portico-server.ts';
import { offer } from '../faults/harness/load/offer.ts';
import { FAILED_SHARE_MAX, median, type Target } from './rounds.ts';

/** Milliseconds. */
export type Latency = { readonly p50: number; readonly p99: number };

/** Latencies at a rate, per second; medians. `p99ToFloor`: of each round. */
export type Latencies = {
  readonly rate: number;
  readonly portico: Latency;
  readonly floor: Latency;
  readonly p99ToFloor: readonly number[];
};

/** How long each server is asked before it counts, seconds. */
const WARM_SECONDS = 1;

/** What the answers of a server take while callers ask at a fixed rate, whatever becomes of the questions before. */
async function latencyAt({ name, url, key }: Target, perSecond: number, seconds: number): Promise<Latency> {
  const { host, port, pathname } = new URL(url);
  const figure = await offer({
    ports: [Number(port)],
    request: `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    ...{ perSecond, seconds, warmSeconds: WARM_SECONDS, connections: 1_000, obeys: false },
  });
  const failed = figure.late + figure.refused + figure.other + figure.broken;
  if (failed > figure.offered * FAILED_SHARE_MAX)
    throw new Error(`${name}: ${String(failed)} of ${String(figure.offered)} questions were late or refused`);
  return { p50: figure.medianMs, p99: figure.p99Ms };
}

/** What the answers of two servers take at a fixed rate. They take turns, and each round gives one ratio of their p99. */
export async function latenciesAt(
  [ours, floor]: readonly [Target, Target],
  perSecond: number,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Latencies> {
  const pairs: { readonly portico: Latency; readonly floor: Latency }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const portico = await latencyAt(ours, perSecond, seconds);
    pairs.push({ portico, floor: await latencyAt(floor, perSecond, seconds) });
  }
  const middle = (all: readonly Latency[]) => ({
    p50: median(all.map(({ p50 }) => p50)),
    p99: median(all.map(({ p99 }) => p99)),
  });
  return {
    rate: perSecond,
    portico: middle(pairs.map(({ portico }) => portico)),
    floor: middle(pairs.map((pair) => pair.floor)),
    p99ToFloor: pairs.map((pair) => pair.portico.p99 / pair.floor.p99),
  };
}

/** The value of a metric without labels, as the gateway tells it. */
async function metricOf({ adminUrl }: Pick<Portico, 'adminUrl'>, name: string): Promise<number> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const [, value = 'NaN'] = new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics) ?? [];
  return Number(value);
}

/** User and system time that all threads of a gateway have spent so far. */
export async function cpuMicroseconds(portico: Portico): Promise<number> {
  return (await metricOf(portico, 'process_cpu_seconds_total')) * 1e6;
}

/** Linux counts the time of processes in hundredths of a second. */
const TICK_MICROSECONDS = 10_000;

async function ownMicroseconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '');
  // The name of the program, in parentheses, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const listed = await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8').catch(() => '');
  return listed.split(' ').filter(Boolean).map(Number);
}

/** A process and all below it. */
export async function processesOf(pid: number): Promise<readonly number[]> {
  const below = await Promise.all((await childrenOf(pid)).map(processesOf));
  return [pid, ...below.flat()];
}

/** User and system time of a process so far, with that of its children, microseconds; NaN where the system does not tell. */
export async function processMicroseconds(pid: number, withChildren = true): Promise<number> {
  let total = 0;
  for (const one of withChildren ? await processesOf(pid) : [pid]) total += await ownMicroseconds(one);
  return total;
}

/** What a process holds: live objects and buffers after a full collection, and what the system counts as resident. */
export type Memory = { readonly held: number; readonly resident: number };

/** Collects the garbage of a Node that listens for an inspector, and asks what is left. */
async function memoryAfterCollection(inspectorPort: number): Promise<Memory> {
  const targets = await fetch(`http://127.0.0.1:${String(inspectorPort)}/json/list`);
  const [target] = (await targets.json()) as [{ webSocketDebuggerUrl: string }];
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  const send = async (method: string, params: object = {}): Promise<unknown> => {
    const answered = once(socket, 'message') as Promise<[{ data: string }]>;
    socket.send(JSON.stringify({ id: 1, method, params }));
    return JSON.parse((await answered)[0].data);
  };
  await send('HeapProfiler.collectGarbage');
  const reply = await send('Runtime.evaluate', { expression: 'process.memoryUsage()', returnByValue: true });
  socket.close();
  const { rss, heapUsed, external } = (reply as { result: { result: { value: NodeJS.MemoryUsage } } }).result
    .result.value;
  return { held: heapUsed + external, resident: rss };
}

const [PAGES_BEFORE, PAGES_AFTER] = [2_000, 12_000];
const AT_ONCE = 32;

async function readPage({ url, key }: Portico, page: number): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity' };
  const reply = await fetch(`${url}/v1/users?page=${String(page)}`, { headers });
  await reply.arrayBuffer();
  if (reply.status !== 200) throw new Error(`page ${String(page)}: status ${String(reply.status)}`);
  return reply.headers.get('cache-status') ?? '';
}

async function readPages(portico: Portico, first: number, last: number): Promise<void> {
  let next = first;
  async function reader(): Promise<void> {
    while (next <= last) {
      const page = next;
      next += 1;
      await readPage(portico, page);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, reader));
}

/** Forgets all pages, and waits until the gateway has heard of it. */
async function purge(portico: Portico): Promise<void> {
  await portico.command('cache', 'purge', '--all');
  while (/\bhit\b/.test(await readPage(portico, 1))) await new Promise((resolve) => setTimeout(resolve, 50));
}

/**
 * What a page of 50 users takes in the cache: the slope from 2,000 to 12,000 pages, which leaves out what the process
 * takes anyway. No page is asked for compressed, so that only its text is kept. The gateway is warm: it has read the first
 * pages before, and has read them again after a purge. It must listen for an inspector, and keep all pages.
 */
export async function memoryOfPages(portico: Portico, inspectorPort: number): Promise<Memory> {
  await readPages(portico, 1, PAGES_BEFORE);
  await purge(portico);
  await readPages(portico, 1, PAGES_BEFORE);
  const before = await memoryAfterCollection(inspectorPort);
  await readPages(portico, PAGES_BEFORE + 1, PAGES_AFTER);
  const after = await memoryAfterCollection(inspectorPort);
  const pages = PAGES_AFTER - PAGES_BEFORE;
  return { held: (after.held - before.held) / pages, resident: (after.resident - before.resident) / pages };
}
