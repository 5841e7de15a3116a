// `portico try`: serves one source file at once, so that somebody who has just drafted it sees its answers.

import { randomBytes } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
import { type GatewayConfig, gatewaySchema } from '../../config/schema/gateway.ts';
import type { Contract, Resource } from '../../contract/resource.ts';
import { Secret } from '../../kernel/secret.ts';
import { chooseSources, type CompiledSource } from '../../source/compile-sources.ts';
import { type CliContext, type CommandLine, ExitError, exitCodes } from '../context/context.ts';
import { liveEnvironment, printOpenEdits, readContract, readSource } from '../input/read-config.ts';
import { keyEntry, keyHeader, serveEmbedded, temporaryKey } from './serve-embedded.ts';

const DEFAULT_PORT = '8080';
const EXPECTED_PORT = 'Expected a port from 0 to 65535; 0 takes any free one.';

/** Reads the port of an option. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError(EXPECTED_PORT);
  return Number(text);
}

/** The port of the variable `PORT`, as for `start` and `demo`. @throws ExitError if it is no port */
function environmentPort({ env }: CliContext): number {
  const text = env['PORT'] ?? '';
  try {
    return parsePort(text === '' ? DEFAULT_PORT : text);
  } catch {
    throw new ExitError(exitCodes.config, `PORT is ${JSON.stringify(text)}. ${EXPECTED_PORT}`);
  }
}

/** The configuration of a gateway that serves all resources of one source file to one key. */
function gatewayOf(
  compiled: readonly CompiledSource[],
  contract: Contract,
  port: number,
  key: string,
): GatewayConfig {
  const pepper = randomBytes(32).toString('base64url');
  const permissions = compiled.map(({ resource }) => resource.permission);
  const entry = keyEntry(key, new Secret(pepper), { id: 'trytry', label: 'try', permissions, tier: 'try' });
  const served = compiled.map(({ resource, source: { spec } }) => {
    // The deadline must not end a scan before the budget of its file does.
    const deadline = `${Math.max(10_000, spec.budget.time + 2_000)}ms`;
    return [resource.name, { source: spec.name, deadline }];
  });
  const { contract: _, ...gateway } = gatewaySchema.parse({
    portico: 1,
    listen: { host: '127.0.0.1', port, drain: '0s' },
    admin: { host: '127.0.0.1', port: 0 },
    log: { level: 'warn' },
    auth: { apiKeys: { pepper, keys: [entry] } },
    limits: { tiers: { try: { windows: ['1000 per 1s'] } }, anonymousTier: 'try' },
    resources: Object.fromEntries(served) as unknown,
  });
  return { ...gateway, contract };
}

/** Requests that show some of what a resource can do. */
function examplesOf({ path, sorts, hasList, idStart }: Resource): readonly string[] {
  if (!hasList) return [`${path}/${idStart}…`];
  const [last] = sorts.slice(-1);
  return ['limit=3', ...(last === undefined ? [] : [`limit=3&sort=-${last}`])].map(
    (query) => `${path}?${query}`,
  );
}

function instructions(base: string, compiled: readonly CompiledSource[], file: string, key: string): string {
  const lines = compiled.flatMap(({ resource }) =>
    examplesOf(resource).map((example) => `  curl -H ${keyHeader(key)} '${base}${example}'`),
  );
  return `
${file} is served on ${base}, to this machine alone.

  Key:  ${key}

Try:

${lines.join('\n')}

Stop: Ctrl-C
`;
}

type TryOptions = { readonly port?: number };

/** `portico try <file>`: serves one source file in this process, without a gateway file, a pepper or Redis. */
async function runTry(file: string, options: TryOptions, context: CliContext): Promise<void> {
  const port = options.port ?? environmentPort(context);
  const key = temporaryKey('PORTICO_TRY_KEY', context);
  const compiled = readSource(file, liveEnvironment(context.env));
  printOpenEdits(compiled, context);
  const gateway = gatewayOf(compiled, readContract(file), port, key);
  const ready = { gateway, compiled: chooseSources(gateway, compiled) };
  await serveEmbedded(ready, context, (base) => instructions(base, compiled, file, key));
}

/** Adds `portico try` to the command line. */
export function registerTryCommand({ program, context }: CommandLine): void {
  program
    .command('try')
    .description('serve one source file at once, on this machine alone, to a throw-away key')
    .argument('<file>', 'the source file; PORTICO_TRY_KEY may name the key')
    .option(
      '--port <number>',
      'the port to listen on; 0 takes any free one (default: PORT, or 8080)',
      parsePort,
    )
    .action((file: string, options: TryOptions) => runTry(file, options, context));
}
