/**
 * The library: a gateway in the process of a host, such as an application of Express. It touches `process` to read alone, and
 * has no signal handlers. The types of the package are all in this file, so that its declaration imports `node:http` alone.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import { type Logger, pino } from 'pino';
import { findCoercions } from './cli/input/config-files.ts';
import { compileFiles, type ReadyConfig } from './cli/input/read-config.ts';
import { createConfigReader, readInThread } from './cli/input/config-check-client.ts';
import { version } from './cli/input/shipped-files.ts';
import { createReloadTriggers } from './cli/serve/reload-triggers.ts';
import { processServices } from './cli/serve/start-workers.ts';
import type { ConfigFiles } from './config/load.ts';
import { optionProblems } from './config/schema/library-options.ts';
import { ConfigError as ConfigProblems, problemText, type Problem } from './config/yaml/problem.ts';
import { parseYamlFile } from './config/yaml/yaml-file.ts';
import { openapiDocument } from './contract/openapi.ts';
import { createGateway } from './gateway/gateway.ts';
import type { Reloading } from './gateway/reload/reloader.ts';
import type { HostAuthentication } from './pipeline/stages/authentication/host-principal.ts';
import { createTracing } from './telemetry/span-exporter.ts';

/** A mistake in the options or in a file of the configuration. */
export type PorticoProblem = {
  readonly file: string;
  /** From 1; absent if the problem concerns the whole file. */
  readonly line?: number;
  readonly column?: number;
  /** The dotted path of the key, such as `limits.tiers.standard`. */
  readonly path: string;
  readonly message: string;
  /** What to change. */
  readonly hint?: string;
};

/** Thrown if the options or the configuration cannot be used; it carries every problem, not only the first. */
export type PorticoError = Error & { readonly problems: readonly PorticoProblem[] };

/** The class of `PorticoError`, for `instanceof`. */
export const PorticoError: new (problems: readonly PorticoProblem[], message?: string) => PorticoError =
  ConfigProblems;

/** A configuration without files: what the gateway file, the contract file and each source file would say. */
export type PorticoConfig = {
  readonly gateway: object;
  /** Absent: the built-in contract. */
  readonly contract?: object;
  readonly sources: Readonly<Record<string, object>>;
};

type LogLine = (fields: object, message?: string) => void;

/** A logger with the interface of pino. */
export type PorticoLogger = {
  readonly level: string;
  isLevelEnabled(level: string): boolean;
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
};

/** Tells the time, in milliseconds: since the epoch, and of a clock that is never set. */
export type PorticoClock = { readonly now: () => number; readonly monotonic: () => number };

/** A caller whom the host has authenticated. */
export type PorticoPrincipal = {
  /** 1 to 128 visible ASCII characters; the log has it as `host:<id>`. */
  readonly id: string;
  readonly permissions: readonly string[];
  /** One of `limits.tiers`; by default `limits.anonymousTier`. */
  readonly tier?: string;
  /** The only operations that the caller may use; by default all that the permissions allow. */
  readonly operations?: readonly string[];
};

/** How a gateway is made. */
export type PorticoOptions = {
  /** The path of the gateway file; or the configuration itself. */
  readonly config: string | PorticoConfig;
  /** The variables for `${NAME}` in the configuration; by default those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Gets every line of the log, by its own level; by default there is no log. */
  readonly logger?: PorticoLogger;
  readonly clock?: PorticoClock;
  /** Whether `/docs` is served, if the gateway file does not turn it off; false by default. */
  readonly docs?: boolean;
  /** Says who calls, within 1 s; `undefined`: keys and tokens say it. A failure is answered with 500. */
  authenticate?(
    request: IncomingMessage,
  ): PorticoPrincipal | undefined | Promise<PorticoPrincipal | undefined>;
  /** Whether nobody else may call than whom `authenticate` knows; false by default. */
  readonly exclusive?: boolean;
};

/** What a reload has done; `problems` says why one was refused, each with file and line. */
export type PorticoReload = {
  readonly kind: 'applied' | 'unchanged' | 'refused' | 'dry-run';
  readonly rev: number;
  readonly digest: string;
  readonly problems?: readonly string[] | undefined;
};

/** The state of a gateway: its configuration in force, and what it depends on. */
export type PorticoStatus = {
  readonly version: string;
  readonly draining: boolean;
  readonly config: { readonly rev: number; readonly digest: string };
  readonly checks: readonly { readonly name: string; readonly ready: boolean; readonly detail?: string }[];
};

/** A registry of prom-client, to be read or merged. */
export type PorticoMetrics = {
  readonly contentType: string;
  metrics(): Promise<string>;
  getMetricsAsJSON(): Promise<object[]>;
};

/** A gateway in this process. */
export type Portico = {
  /** Answers what is below the version of the contract, and the pass-through routes; all else goes on to `next`. */
  readonly handler: (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;
  /** Answers operators: console, API and metrics. Mount it where only operators come. */
  readonly operators: (req: IncomingMessage, res: ServerResponse) => void;
  /** Reads the configuration again, and puts it in force if it is sound. */
  readonly reload: () => Promise<PorticoReload>;
  readonly status: () => PorticoStatus;
  readonly metrics: () => PorticoMetrics;
  /** The OpenAPI document of the contract in force. */
  readonly openapi: () => object;
  /** Opens the gateway's own listeners, the public one and that of operators. */
  readonly listen: () => Promise<{ readonly port: number; readonly adminPort: number }>;
  /** Ends gracefully: finishes running requests, then closes everything. It may be called again. */
  readonly close: () => Promise<void>;
};

/** The texts of a configuration without files. Its problems name lines of this JSON, and the keys. */
function filesOf({ gateway, contract, sources }: PorticoConfig): ConfigFiles {
  const fileOf = (name: string, value: object) => ({
    file: `config.${name}`,
    text: JSON.stringify(value, null, 2),
  });
  // There is no folder to find a relative path from.
  const { coercions: named } = gateway as { readonly coercions?: unknown };
  return {
    gateway: fileOf('gateway', gateway),
    contract: contract && fileOf('contract', contract),
    coercions: typeof named === 'string' && isAbsolute(named) ? findCoercions('/', named) : undefined,
    sources: Object.entries(sources).map(([name, source]) => fileOf(`sources.${name}`, source)),
  };
}

/** Checks and sets what is different in a host. @throws PorticoError if the configuration asks for workers */
function forHost(ready: ReadyConfig, { docs = false }: PorticoOptions): ReadyConfig {
  const { gateway, texts } = ready;
  gateway.docs &&= docs;
  if (gateway.workers === 'auto' || gateway.workers === 1) return ready;
  const { file, text } = texts.files.gateway;
  const hint = 'leave workers out, or start a gateway of its own with portico start';
  const message = 'a gateway in a host is one process';
  throw new ConfigProblems([parseYamlFile(file, text, undefined, []).problemAt(['workers'], message, hint)]);
}

/** A view of the host's logger that keeps its level, because a reload sets that of a log. pino-http asks for the levels. */
function viewOf(logger: PorticoLogger | undefined): Logger {
  if (logger === undefined) return pino({ level: 'silent' }, { write: () => undefined });
  const level = { get: () => logger.level, set: () => undefined };
  return Object.create(logger, { level, levels: { value: pino.levels } }) as Logger;
}

/** How the host authenticates callers; `undefined`: it does not. */
function hostOf(options: PorticoOptions): HostAuthentication | undefined {
  if (options.authenticate === undefined) return undefined;
  const { exclusive = false } = options;
  return { authenticate: (request) => options.authenticate?.(request), exclusive };
}

/** Opens what reads the configuration: the first one, and the ones after it. */
async function openConfig(options: PorticoOptions, stop: AbortSignal, log: Logger) {
  const { config: given, env = process.env } = options;
  const cpuMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000;
  const context = { env, stop, processes: { cpuMs, onHangUp: () => undefined } };
  if (typeof given !== 'string') {
    const read = () => forHost(compileFiles(filesOf(given), env), options);
    return {
      first: read(),
      reloading: { read: async () => Promise.resolve(read()) },
      start: () => undefined,
    };
  }
  const { ready } = await readInThread(given, context, { fixtures: false });
  const first = forHost(ready, options);
  const read = createConfigReader(given, context);
  const { reloading, start } = createReloadTriggers(given, false, context)(first, log);
  return { first, reloading: { ...reloading, read: async () => forHost(await read(), options) }, start };
}

/** Makes a gateway from what was read. */
async function open(options: PorticoOptions, stop: AbortController): Promise<Portico> {
  const wrong = optionProblems(options);
  if (wrong.length > 0) throw new ConfigProblems(wrong);
  const log = viewOf(options.logger);
  const { first, reloading, start } = await openConfig(options, stop.signal, log);
  const { pid } = process;
  const host = { nodeVersion: process.version, processes: { pid, host: hostname() } };
  const gateway = createGateway(
    { gateway: first.gateway, compiled: first.compiled },
    {
      ...processServices(host),
      ...(options.clock && { clock: options.clock }),
      host: hostOf(options),
      log,
      tracing: createTracing(first.gateway.telemetry.traces, { version, log }),
      reloading: { pid, texts: first.texts, ...(reloading satisfies Reloading) },
    },
  );
  const { reload } = gateway;
  if (reload === undefined) throw new Error('a gateway with files can be reloaded');
  try {
    await gateway.start();
  } catch (error) {
    await gateway.close();
    throw error;
  }
  start(reload);
  let closed: Promise<void> | undefined;
  return {
    handler: gateway.handler,
    operators: gateway.operators,
    reload: () => reload({ actor: 'host' }),
    status: gateway.status,
    metrics: () => gateway.metrics.registry,
    openapi: () => openapiDocument(gateway.inForce().config.contract),
    listen: () => gateway.listen(),
    close() {
      stop.abort();
      return (closed ??= gateway.drain());
    },
  };
}

/**
 * Makes a gateway in this process. It opens no port before `listen`.
 * @throws PorticoError if the options or the configuration cannot be used; its message names each problem with file and line
 */
export async function createPortico(options: PorticoOptions): Promise<Portico> {
  const stop = new AbortController();
  try {
    return await open(options, stop);
  } catch (error) {
    stop.abort();
    if (!(error instanceof ConfigProblems)) throw error;
    const { problems }: { readonly problems: readonly Problem[] } = error;
    throw new ConfigProblems(problems, [error.message, ...problems.map(problemText)].join('\n'));
  }
}
