import { pino } from 'pino';
import { createExplainActions } from '../../../src/workbench/explain/explain-action.ts';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { createGateway, type Gateway } from '../../../src/gateway/gateway.ts';
import type { ReloadAnswer } from '../../../src/admin/api/config-action-specs.ts';
import type { ServedConfig } from '../../../src/gateway/reload/snapshot.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { createTracing } from '../../../src/telemetry/span-exporter.ts';
import { watch } from '../secret-markers/marker-watch.ts';

/** A gateway that listens, in this process or in one of its own. */
export type RunningGateway = {
  readonly url: string;
  readonly port: number;
  readonly adminUrl: string;
  /** The text of its metrics. */
  metrics(): Promise<string>;
  /** The sum of a metric over all series whose labels contain these, such as `result="damaged"`. */
  counted(metric: string, ...labels: readonly string[]): Promise<number>;
  /** Whether `/readyz?strict` says so, which the loss of the keys' Redis is enough for. */
  isReady(): Promise<boolean>;
  /** Asks for a reload; `query` is that of the address, such as `?dryRun=true`. */
  reload(query?: string): Promise<{ readonly status: number; readonly outcome: ReloadAnswer }>;
  /** Ends it, and waits for that. */
  close(): Promise<unknown>;
};

/** The sum of a metric in a text of metrics, over all series whose labels contain these. */
function sumOf(text: string, metric: string, labels: readonly string[]): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
    .filter((line) => labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** What can be done with a gateway at these ports of this machine; its metrics are read with the token. */
export function gatewayAt(
  { port, adminPort }: { readonly port: number; readonly adminPort: number },
  close: () => Promise<unknown>,
  adminToken?: string,
): RunningGateway {
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const headers = new Headers(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` });
  const metrics = async () => (await fetch(`${adminUrl}/metrics`, { headers })).text();
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    adminUrl,
    metrics,
    counted: async (metric, ...labels) => sumOf(await metrics(), metric, labels),
    isReady: async () => (await fetch(`${adminUrl}/readyz?strict`)).status === 200,
    async reload(query = '') {
      const answer = await fetch(`${adminUrl}/api/config/reload${query}`, { method: 'POST', headers });
      return { status: answer.status, outcome: (await answer.json()) as ReloadAnswer };
    },
    close,
  };
}

/** A gateway in this process, with its log. */
export type LocalGateway = RunningGateway & {
  readonly gateway: Gateway;
  /** Its log lines so far. */
  readonly log: readonly string[];
};

/** Starts a gateway in this process. All that it logs and answers is searched for secret markers. */
export async function runGateway(
  config: GatewayConfig,
  compiled: ServedConfig['compiled'],
  {
    clock = systemClock,
    level = config.log.level,
    instance,
  }: { clock?: Clock; level?: string; instance?: string } = {},
): Promise<LocalGateway> {
  const log: string[] = [];
  const look = watch.of('gateway', 'the log');
  function write(line: string): void {
    look(line);
    log.push(line);
  }
  const logger = pino({ base: null, level }, { write });
  const gateway = createGateway(
    { gateway: config, compiled },
    {
      log: logger,
      tracing: createTracing(config.telemetry.traces, { version: 'test', log: logger }),
      clock,
      instance,
      createExplainActions,
      version: 'test',
      nodeVersion: 'test',
    },
  );
  const ports = await gateway.listen();
  const forget = [ports.port, ports.adminPort].map((port) => watch.port(port));
  async function close(): Promise<void> {
    await gateway.close();
    forget.forEach((end) => end());
  }
  return { ...gatewayAt(ports, close), gateway, log };
}
