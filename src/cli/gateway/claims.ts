// `portico claims`: shows the claims of source files that replies have contradicted; `portico claims reset` lets gateways
// rely on them again.

import { refuseIfRedisFails } from '../../admin/actions/act.ts';
import type { Command } from 'commander';
import { createClaimActions } from '../../admin/actions/disabled-claim-actions.ts';
import { claimPlace } from '../../source/adapter/spec/capability.ts';
import { type CompiledResource, withTargets } from '../../source/compile-sources.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createDisabledClaims, type DisabledClaim } from '../../store/disabled-claims.ts';
import { createSharedPurges, readPurgeNotes } from '../../store/cache/purges.ts';
import type { ReadyConfig } from '../input/read-config.ts';
import { addOperatorAction, type OnRedisItself, type OperatorContext } from './run-action.ts';
import type { GatewayOptions } from './operator-api-client.ts';

type Options = GatewayOptions & { readonly reason?: string };

const CLAIMS_REDIS: OnRedisItself = {
  role: 'cache',
  handlers(client, keys) {
    const purges = createSharedPurges(client, keys);
    const claims = createDisabledClaims(purges, systemClock);
    const learn = async () => claims.apply(await readPurgeNotes(client, keys));
    const actions = createClaimActions(claims);
    return {
      actions: {
        async claims() {
          await refuseIfRedisFails('cache', learn);
          return actions.claims();
        },
        async 'claims.reset'(input, context) {
          await refuseIfRedisFails('cache', learn);
          return actions['claims.reset'](input, context);
        },
      },
      close: () => purges.close(),
    };
  },
};

/** The place in the file that makes the claim; `undefined` if the file has changed since, and the claim is used again. */
function placeOf(
  { source, resource, digest, claim }: DisabledClaim,
  compiled: readonly CompiledResource[],
): string | undefined {
  const found = withTargets(compiled).find(
    (one) => one.source.spec.name === source && one.resource.name === resource && one.digest === digest,
  );
  if (found === undefined) return undefined;
  const { file, line } = found.source.yaml.problemAt(claimPlace(found.resource.name, claim), '');
  return `${file}:${line ?? 1}`;
}

/** Registers `portico claims` and `portico claims reset`. The actions reject with an Error made for the operator. */
export function registerClaimsCommand(
  program: Command,
  config: () => ReadyConfig,
  context: OperatorContext,
): void {
  const claims = program
    .command('claims')
    .description('list the claims of source files that replies have contradicted, or believe them again');
  addOperatorAction(claims, CLAIMS_REDIS, context, (_args, { gateway }: Options) => async (ask) => {
    const { disabled } = await ask('claims', {});
    const compiled = gateway === undefined ? config().compiled : undefined;
    const lines = disabled.map((one) => {
      const place = compiled && (placeOf(one, compiled) ?? 'believed again: its file has changed since');
      const line = `${one.source}  ${one.resource}  ${one.claim}  disabled ${one.at}: ${one.detail}`;
      return place === undefined ? line : `${line}  (${place})`;
    });
    return { json: { disabled }, blocks: lines.length === 0 ? ['no claim has been disabled'] : lines };
  });
  const again = claims
    .command('reset')
    .description('believe disabled claims again, in every process within a second')
    .argument('[source]', 'the name of a source; default: all')
    .argument('[claim]', 'a claim of it, such as filter.category.eq; default: all')
    .option('--reason <text>', 'why, for the audit');
  addOperatorAction(again, CLAIMS_REDIS, context, ([source, claim], { reason, json }: Options) => {
    return async (ask) => {
      const { reset } = await ask('claims.reset', { source, claim, reason });
      if (json !== true && reset.length === 0)
        throw new Error('no such claim has been disabled: `portico claims` lists those that have');
      const blocks = reset.map((one) => `believed again: ${one.source}  ${one.resource}  ${one.claim}`);
      return { json: { reset }, blocks };
    };
  });
}
