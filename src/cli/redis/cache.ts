import type { Command } from 'commander';
import { createSharedPurges, EVERYTHING } from '../../store/purges.ts';
import type { KeysContext } from './keys.ts';
import { withRedis } from '../input/with-redis.ts';

type PurgeOptions = {
  readonly tag: readonly string[];
  readonly all?: boolean;
  readonly json?: boolean;
};

const WITHOUT_REDIS =
  "in the embedded mode purge on the operator's listener: curl -X POST http://127.0.0.1:9090/cache/purge?tag=users";

/** `users`, `user:42`; the id of the API, `user_42`, means the same. */
function tagOf(text: string): string {
  return text.replace('_', ':');
}

/** Registers `portico cache purge`. The action rejects with an Error made for the operator. */
export function registerCacheCommand(program: Command, context: KeysContext): void {
  program
    .command('cache')
    .description('forget finished answers')
    .command('purge')
    .description('have every process forget answers and snapshots, within a second')
    .option('--tag <tag>', 'such as users, products or user:42; may be repeated', collect, [])
    .option('--all', 'everything')
    .option('--json', 'answer in JSON')
    .action((options: PurgeOptions) => runPurge(options, context));
}

function collect(tag: string, before: readonly string[]): readonly string[] {
  return [...before, tagOf(tag)];
}

async function runPurge({ tag, all, json }: PurgeOptions, context: KeysContext): Promise<void> {
  const tags = all === true ? [EVERYTHING] : tag;
  if (tags.length === 0) throw new Error('name what to forget with --tag, or say --all');
  await withRedis(
    await context.loadConfig(),
    context.err,
    { role: 'cache', without: WITHOUT_REDIS },
    async (client, keys) => {
      const purges = createSharedPurges(client, keys);
      try {
        for (const one of tags) await purges.purge(one);
      } finally {
        purges.close();
      }
    },
  );
  context.out(json === true ? `${JSON.stringify({ purged: tags })}\n` : `purged: ${tags.join(', ')}\n`);
}
