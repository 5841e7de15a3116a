import { createLocalPurges } from '../../../src/store/cache/purges.ts';
import { referenceContract } from '../reference.ts';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { type App, type AppDeps, createApp } from '../../../src/http/app.ts';
import type { RoutingSpec } from '../../../src/http/routing.ts';
import { createSharedComponents } from '../../../src/kernel/shared-components.ts';
import { createReferenceCount } from '../../../src/http/operation-endpoint.ts';
import type { ServedOperation, Handler, CallAnswer } from '../../../src/pipeline/stages/call.ts';
import { createServer } from '../../../src/http/server.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createRecentRequests } from '../../../src/telemetry/requests/recent-requests.ts';
import { createCondition } from '../time/eventually.ts';
import { askRaw, type RawAnswer, request } from '../client/raw-client.ts';
import { watch } from '../secret-markers/marker-watch.ts';
import { createCallerCounts } from '../../../src/telemetry/caller-counts.ts';
import { endAfterTest } from '../jest/lifetime.ts';

/** A line of the log, parsed. */
export type LogLine = Record<string, unknown>;

/** A public listener on a free port, with what it logged and counted. */
export type PublicListener = {
  readonly app: App;
  readonly server: Server;
  readonly port: number;
  readonly lines: readonly LogLine[];
  readonly finished: readonly { operation: string; status: number }[];
  /** The first log line that `matches`, now or later. */
  line(matches: (line: LogLine) => boolean): Promise<LogLine>;
  stop(): Promise<void>;
};

/** What a listener is made from; metrics apart. */
export type ListenerSpec = Omit<Partial<AppDeps & RoutingSpec>, 'metrics'>;

/** Metrics that keep the finished requests, and nothing else. */
const countingMetrics = (finished: { operation: string; status: number }[]): AppDeps['metrics'] => ({
  request: (operation, status) => void finished.push({ operation, status }),
  inFlight: () => undefined,
  overloaded: () => undefined,
  compressed: () => undefined,
  breakerState: () => undefined,
  sourceEvent: () => undefined,
  hostEvent: () => undefined,
  upstreamCall: () => undefined,
  watchLoad: () => () => undefined,
});

/** Starts a listener; what `over` leaves out is the plainest thing that works. */
export async function startPublicListener(
  over: ListenerSpec & {
    metrics?: Partial<AppDeps['metrics']>;
    deadlineMsMax?: number;
  } = {},
): Promise<PublicListener> {
  const lines: LogLine[] = [];
  const finished: { operation: string; status: number }[] = [];
  const changes = createCondition();
  const look = watch.of('gateway', 'the log');
  const log = pino(
    { base: null },
    {
      write(text) {
        look(text);
        lines.push(JSON.parse(text) as LogLine);
        changes.announce();
      },
    },
  );
  const metrics = countingMetrics(finished);
  const app = createApp({
    log,
    clock: systemClock,
    callers: createCallerCounts(systemClock),
    recent: createRecentRequests({ clock: systemClock, instance: 'test', slowMs: 1_000 }),
    ...over,
    metrics: { ...metrics, ...over.metrics },
  });
  const parts = createSharedComponents().open();
  const spec: RoutingSpec = {
    operations: [],
    passthrough: {
      routes: [],
      purges: createLocalPurges(),
      gatewayHeaders: [],
      admit: () => Promise.resolve(),
    },
    trustProxy: false,
    serverStatus: 'precise',
    docs: false,
    contract: referenceContract,
    overload: { eventLoopDelayMax: 60_000, inFlightMax: 1_000 },
    ...over,
  };
  app.serveBy(app.route(spec, { parts, uses: createReferenceCount() }));
  const limits = { connectionsMax: 1_000, deadlineMsMax: over.deadlineMsMax ?? 10_000 };
  const server = createServer(app, limits, { log, metrics });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const forget = watch.port(port);

  return {
    app,
    server,
    port,
    lines,
    finished,
    line: (matches) => changes.until(() => lines.find(matches), 60_000),
    async stop() {
      await parts.release();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      forget();
    },
  };
}

/** The listener of one test after another, as `useListener` gives it. */
export type ListenerOfTest = {
  /** Starts a listener with one operation; it ends with the test. */
  readonly start: (handler: Handler, over?: ListenerSpec) => Promise<void>;
  /** Asks the one that was started last. */
  readonly ask: (headers?: readonly string[], method?: string, target?: string) => Promise<RawAnswer>;
  readonly latest: PublicListener;
};

/** Lets every test start a listener of its own. */
export function useListener(): ListenerOfTest {
  let latest: PublicListener | undefined;
  return {
    async start(handler, over) {
      latest = endAfterTest(await startPublicListener({ operations: [operation(handler)], ...over }));
    },
    ask: (headers = [], method = 'GET', target = '/v1/users') =>
      askRaw(latest!.port, request(method, target, headers)),
    get latest() {
      return latest!;
    },
  };
}

/** An operation with small defaults. */
export function operation(handler: Handler, over: Partial<ServedOperation> = {}): ServedOperation {
  return {
    operation: 'users.list',
    path: '/v1/users',
    permission: 'users:read',
    handler,
    ...over,
  };
}

/** A list and a get that answer with what they were asked. */
export function echoOperations(): ServedOperation[] {
  const echo = operation((call) => Promise.resolve(replyOf(JSON.stringify(call.request))));
  return [echo, { ...echo, operation: 'users.get', path: '/v1/users/:id' }];
}

/** A finished answer around a JSON text. */
export function replyOf(text: string, over: Partial<CallAnswer> = {}): CallAnswer {
  const body = Buffer.from(text);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, etag, storedAt: Date.now(), freshSeconds: 10, cache: 'miss', ...over };
}
