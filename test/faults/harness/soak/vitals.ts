import { readdirSync } from 'node:fs';
import type { FaultBench } from '../bench.ts';
import type { GatewayProcess } from '../../../support/gateway/gateway-process.ts';
import { type Injected, inject } from '../harm/injected.ts';

/** What a process holds once all that is garbage has gone. */
export type Vitals = {
  /** MiB of the heap, and of it compiled code and everything else. */
  readonly heap: number;
  readonly code: number;
  readonly data: number;
  /** MiB that the heap holds outside of itself. */
  readonly external: number;
  /** MiB of memory that the system has given, and of it for the heap. */
  readonly resident: number;
  readonly committed: number;
  readonly descriptors: number;
  /** Sockets, servers, timers and whatever else keeps the process alive. */
  readonly handles: number;
};

// Weak references and finalizers let go in turns of the event loop, not in the collection itself.
const REPORT_VITALS = `void (async () => {
  const { setImmediate: turn } = process.getBuiltinModule('timers/promises');
  for (let n = 0; n < 4; n += 1) {
    gc();
    await turn();
  }
  const spaces = process.getBuiltinModule('v8').getHeapSpaceStatistics();
  const code = spaces.filter(({ space_name }) => /code|trusted/.test(space_name));
  const handles = process.getActiveResourcesInfo().length;
  const vitals = { ...process.memoryUsage(), code: code.reduce((sum, one) => sum + one.space_used_size, 0), handles };
  process.stderr.write('vitals of ' + process.pid + ' ' + JSON.stringify(vitals) + '\\n');
})();`;
const EXPOSE_GC = `process.getBuiltinModule('v8').setFlagsFromString('--expose-gc');
  const gc = process.getBuiltinModule('vm').runInNewContext('gc');`;

/** Has a process tell its vitals when it is asked to. */
export function injectVitals(): Injected {
  return inject(REPORT_VITALS, EXPOSE_GC);
}

/** Collects the garbage of a gateway's process, or of one of its workers, and asks what is left. */
export async function readVitals(
  bench: Pick<FaultBench, 'until'>,
  { process: gateway }: Pick<GatewayProcess, 'process'>,
  pid = gateway.pid,
): Promise<Vitals> {
  const vitals = () => [...gateway.err.matchAll(new RegExp(`^vitals of ${pid} (.+)$`, 'gm'))];
  const before = vitals().length;
  process.kill(pid, 'SIGUSR2');
  await bench.until(() => vitals().length > before, 120_000);
  const { heapUsed, heapTotal, external, rss, code, handles } = JSON.parse(vitals().at(-1)![1]!) as Record<
    string,
    number
  >;
  const mib = (bytes = 0) => bytes / 1024 ** 2;
  return {
    heap: mib(heapUsed),
    code: mib(code),
    data: mib(heapUsed! - code!),
    external: mib(external),
    resident: mib(rss),
    committed: mib(heapTotal),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    handles: handles!,
  };
}
