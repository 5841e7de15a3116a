import type { Command } from 'commander';
import { claimPlace } from '../../adapter/claim-place.ts';
import type { CompiledResource } from '../../pipeline/compile-sources.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createFallenClaims, type FallenClaim, type FallenClaims } from '../../store/fallen-claims.ts';
import { createSharedPurges, readPurgeNotes } from '../../store/purges.ts';
import type { CliContext } from '../context.ts';
import { readConfigOrExit, type ReadyConfig } from '../input/read-config.ts';
import { withRedis } from '../input/with-redis.ts';

type OutputOptions = { readonly json?: boolean };

const WITHOUT_REDIS =
  "in the embedded mode ask the operator's listener: curl http://127.0.0.1:9090/claims, or curl -X POST http://127.0.0.1:9090/claims/reset?source=crm";

/** Does some work on the fallen claims of the fleet. @throws Error made for the operator */
function withClaims<T>(
  { gateway }: ReadyConfig,
  context: CliContext,
  work: (claims: FallenClaims) => T | Promise<T>,
): Promise<T> {
  return withRedis(gateway, context.err, { role: 'cache', without: WITHOUT_REDIS }, async (client, keys) => {
    const purges = createSharedPurges(client, keys);
    try {
      const claims = createFallenClaims(purges, systemClock);
      claims.apply(await readPurgeNotes(client, keys));
      return await work(claims);
    } finally {
      purges.close();
    }
  });
}

/** Where the file makes the claim; absent where the file has changed since, so that the claim is believed again. */
function placeOf(
  { source, resource, digest, claim }: FallenClaim,
  compiled: readonly CompiledResource[],
): string | undefined {
  const found = compiled.find(
    (one) => one.source.spec.name === source && one.resource.name === resource && one.digest === digest,
  );
  if (found === undefined) return undefined;
  const { file, line } = found.source.yaml.problemAt(claimPlace(found.resource.name, claim), '');
  return `${file}:${line ?? 1}`;
}

function lineOf(one: FallenClaim, compiled: readonly CompiledResource[]): string {
  const place = placeOf(one, compiled) ?? 'believed again: its file has changed since';
  return `${one.source}  ${one.resource}  ${one.claim}  fell ${one.at}: ${one.detail}  (${place})\n`;
}

async function runList({ json }: OutputOptions, config: ReadyConfig, context: CliContext): Promise<void> {
  const fallen = await withClaims(config, context, (claims) => claims.list());
  const lines = fallen.map((one) => lineOf(one, config.compiled));
  if (json === true) context.out(`${JSON.stringify({ fallen })}\n`);
  else context.out(lines.join('') || 'no claim has fallen\n');
}

async function runReset(
  selection: Parameters<FallenClaims['reset']>[0],
  { json }: OutputOptions,
  config: ReadyConfig,
  context: CliContext,
): Promise<void> {
  const reset = await withClaims(config, context, (claims) => claims.reset(selection));
  if (json !== true && reset.length === 0)
    throw new Error('no such claim has fallen: `portico claims` lists those that have');
  const lines = reset.map(
    ({ source, resource, claim }) => `believed again: ${source}  ${resource}  ${claim}\n`,
  );
  context.out(json === true ? `${JSON.stringify({ reset })}\n` : lines.join(''));
}

/** Registers `portico claims` and `portico claims reset`. The actions reject with an Error made for the operator. */
export function registerClaimsCommand(program: Command, configFile: () => string, context: CliContext): void {
  const config = () => readConfigOrExit(configFile(), context);
  const claims = program
    .command('claims')
    .description('list the claims of source files that replies have contradicted, or believe them again')
    .option('--json', 'answer in JSON')
    .action((options: OutputOptions) => runList(options, config(), context));
  claims
    .command('reset')
    .description('believe fallen claims again, in every process within a second')
    .argument('[source]', 'the name of a source; default: all')
    .argument('[claim]', 'a claim of it, such as filter.category.eq; default: all')
    .option('--json', 'answer in JSON')
    .action((source: string | undefined, claim: string | undefined, options: OutputOptions) =>
      runReset({ source, claim }, { ...claims.opts<OutputOptions>(), ...options }, config(), context),
    );
}
