// `portico cache purge`: removes answers from the cache of a running gateway, or of all gateways on one Redis.

import type { Command } from 'commander';
import { createCacheActions } from '../../admin/actions/cache-actions.ts';
import { createSharedPurges, EVERYTHING, type HeldCount } from '../../store/cache/purges.ts';
import { ExitError, exitCodes } from '../context/context.ts';
import { addOperatorAction, type OnRedisItself, type OperatorContext } from './run-action.ts';
import type { GatewayOptions } from './operator-api-client.ts';

type PurgeOptions = GatewayOptions & {
  readonly tag: readonly string[];
  readonly all?: boolean;
  readonly reason?: string;
};

const CACHE_REDIS: OnRedisItself = {
  role: 'cache',
  handlers(client, keys, { contract }) {
    const purges = createSharedPurges(client, keys);
    return { actions: createCacheActions({ purges, contract: () => contract }), close: () => purges.close() };
  },
};

const NOT_COUNTED =
  'how many answers that were is not counted here; with --gateway, those in the memory of that gateway are';

const countText = ({ processes, answers, scanCaches }: HeldCount, tag = '') =>
  `${tag}: ${answers} answers and ${scanCaches} scan caches in the memory of ${processes} processes`;

function collectTags(tag: string, before: readonly string[]): readonly string[] {
  return [...before, tag];
}

/** Registers `portico cache purge`. The action rejects with an Error made for the operator. */
export function registerCacheCommand(program: Command, context: OperatorContext): void {
  const purge = program
    .command('cache')
    .description('forget finished answers')
    .command('purge')
    .description('have every process forget answers and scan caches, within a second')
    .option('--tag <tag>', 'such as users, products or users:42; may be repeated', collectTags, [])
    .option('--all', 'everything')
    .option('--reason <text>', 'why, for the audit');
  addOperatorAction(purge, CACHE_REDIS, context, (_args, options: PurgeOptions) => {
    const { tag, all, reason, gateway } = options;
    const asked = all === true ? [EVERYTHING] : tag;
    if (asked.length === 0)
      throw new ExitError(exitCodes.usage, 'name what to forget with --tag, or say --all');
    return async (ask) => {
      const purged = [];
      for (const one of asked) purged.push(await ask('cache.purge', { tag: one, reason }));
      const [tags, reached] = [purged.map((one) => one.purged), purged.map((one) => one.reached)];
      const counts = reached.flatMap((held, index) =>
        held === undefined ? [] : countText(held, tags[index]),
      );
      const isCounted = gateway !== undefined;
      return {
        json: { purged: tags, ...(isCounted && { reached }) },
        blocks: [`purged: ${tags.join(', ')}`, ...(isCounted ? counts : [NOT_COUNTED])],
      };
    };
  });
}
