import type { Portico } from './portico-server.ts';
import { median, sendLoad, type Target } from './rounds.ts';

/** Milliseconds. */
export type Latency = { readonly p50: number; readonly p99: number };

/** What a server's answers take at a fixed rate, medians over a few rounds. */
export async function latencyAt(
  target: Target,
  rate: number,
  { rounds, seconds, connections }: { rounds: number; seconds: number; connections: number },
): Promise<Latency> {
  const p50: number[] = [];
  const p99: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const measured = await sendLoad(target, { seconds, connections, rate: Math.round(rate) });
    p50.push(measured.p50 ?? Number.NaN);
    p99.push(measured.p99 ?? Number.NaN);
  }
  return { p50: median(p50), p99: median(p99) };
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

const PAGES = 10_000;
const AT_ONCE = 32;

/** By how much the process grows as it fills its cache with 10,000 pages of 50 users, in bytes. */
export async function memoryOfPages(portico: Portico): Promise<number> {
  const before = await metricOf(portico, 'process_resident_memory_bytes');
  let next = 1;
  async function reader(): Promise<void> {
    while (next <= PAGES) {
      const page = next;
      next += 1;
      const reply = await fetch(`${portico.url}/v1/users?page=${String(page)}`, {
        headers: { Authorization: `Bearer ${portico.key}` },
      });
      await reply.arrayBuffer();
      if (reply.status !== 200) throw new Error(`page ${String(page)}: status ${String(reply.status)}`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, reader));
  return (await metricOf(portico, 'process_resident_memory_bytes')) - before;
}
