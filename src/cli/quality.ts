import type { Command } from 'commander';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { Secret } from '../kernel/secret.ts';
import type { ResourceQuality } from '../pipeline/quality.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { type LiveQuality, readQuality } from '../explain/quality-live.ts';
import { qualityText } from '../explain/quality-texts.ts';
import { sourceNamed, usageError } from './input/choose-source.ts';
import { type ReadyConfig, readConfigOrExit } from './input/read-config.ts';

type Options = {
  readonly admin?: string;
  readonly live?: boolean;
  readonly values?: boolean;
  readonly json?: boolean;
};

/** How long the gateway may take to tell what it has counted. */
const PATIENCE_MS = 5_000;

/** Where a gateway with this configuration has its admin listener, as seen from the same machine. */
function adminAddress({ admin: { host, port } }: GatewayConfig): string {
  const near = host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
}

function unusable(context: CliContext, what: string): ExitError {
  context.err(`portico: ${what}\n`);
  return new ExitError(exitCodes.failure);
}

async function askGateway(
  address: string,
  token: Secret | undefined,
  context: CliContext,
): Promise<readonly ResourceQuality[]> {
  const url = `${address.replace(/\/+$/, '')}/quality`;
  const signal = AbortSignal.any([context.stop, AbortSignal.timeout(PATIENCE_MS)]);
  let answer: { readonly status: number; readonly body?: unknown };
  try {
    const headers = new Headers(token && { Authorization: `Bearer ${token.reveal()}` });
    const response = await fetch(url, { signal, headers, redirect: 'error' });
    answer = { status: response.status, ...(response.ok && { body: await response.json() }) };
  } catch {
    const hint = 'is the gateway running? --admin names another address, --live reads the source itself';
    throw unusable(context, `no answer from the admin listener at ${url}; ${hint}`);
  }
  if (answer.status === 401)
    throw unusable(context, `${url} asks for a token: admin.token here is not the one it was started with`);
  const { sources } = (answer.body ?? {}) as { readonly sources?: readonly ResourceQuality[] };
  if (sources?.every(({ views }) => Array.isArray(views)) === true) return sources;
  throw unusable(context, `what answers at ${url} is no admin listener of this version of Portico`);
}

async function findQuality(
  name: string | undefined,
  options: Options,
  ready: ReadyConfig,
  context: CliContext,
): Promise<readonly (ResourceQuality | LiveQuality)[]> {
  if (options.live !== true) {
    const all = await askGateway(
      options.admin ?? adminAddress(ready.gateway),
      ready.gateway.admin.token,
      context,
    );
    return all.filter(({ source }) => name === undefined || source === name);
  }
  const found: LiveQuality[] = [];
  for (const compiled of ready.sources) {
    if (name !== undefined && compiled.source.spec.name !== name) continue;
    found.push(await readQuality(compiled, { showShapes: options.values === true, stop: context.stop }));
  }
  return found;
}

/**
 * `portico quality`: what a running gateway has counted of its sources' records, or with `--live` what the sources
 * reply now. Exit code 1 where the gateway cannot be asked, or a source not be read to its end.
 */
async function runQuality(
  name: string | undefined,
  options: Options,
  configFile: string,
  context: CliContext,
): Promise<void> {
  if (options.values === true && options.live !== true)
    throw usageError(
      context,
      '--values needs --live: a running gateway keeps no values, not even their shape',
    );
  const ready = readConfigOrExit(configFile, context);
  if (name !== undefined) sourceNamed(name, ready.sources, context);
  const sources = await findQuality(name, options, ready, context);
  if (options.json === true) context.out(`${JSON.stringify({ sources }, null, 2)}\n`);
  else context.out(sources.map(qualityText).join('\n'));
  if (sources.some((one) => 'problem' in one && one.problem !== undefined))
    throw new ExitError(exitCodes.failure);
}

/** Adds `portico quality` to the command line. */
export function registerQualityCommand(
  program: Command,
  configFile: () => string,
  context: CliContext,
): void {
  program
    .command('quality')
    .description(
      'tell how well the records of the sources can be read: null, missing and unreadable per field',
    )
    .argument('[source]', 'the name of one source; default: all')
    .option(
      '--admin <url>',
      "the running gateway's admin listener, where it is not the one of the configuration",
    )
    .option('--live', 'do not ask the gateway, but read the source itself, within its budget')
    .option('--values', 'with --live: show the form of unreadable values, such as "99.99.9999"')
    .option('--json', 'print everything as JSON')
    .action((name: string | undefined, options: Options) => runQuality(name, options, configFile(), context));
}
