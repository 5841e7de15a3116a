// Registers `portico keys`, with the commands that list, show and delete keys; key-commands.ts has the others.

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createKeyActions } from '../../admin/actions/keys/key-actions.ts';
import type { ActionValue } from '../../admin/api/action-table.ts';
import { openKeys } from '../../admin/operator-actions.ts';
import { keyLines, keyTable } from '../../workbench/explain/report/key-report.ts';
import type { Report } from '../../workbench/explain/report/report.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { CliContext } from '../context/context.ts';
import {
  addBackups,
  addGrants,
  type AddKeyCommand,
  changeReport,
  ID,
  type KeyOptions,
  type KeysContext,
  parseSpan,
  warnUnconfirmed,
} from './key-commands.ts';
import { addOperatorAction, type OnRedisItself } from './run-action.ts';
import { type AskOperator, askListener } from './operator-api-client.ts';

const KEYS_REDIS: OnRedisItself = {
  role: 'keys',
  without: 'make keys for the embedded mode with --print',
  handlers: (client, keys, config) => ({
    actions: createKeyActions({
      stores: openKeys({ client }, keys),
      config: () => config,
      clock: systemClock,
    }),
  }),
};

/** Registers the commands on API keys. The actions reject with an Error made for the operator. */
export function registerKeysCommand(program: Command, context: KeysContext): void {
  const keys = program.command('keys').description('manage API keys');
  const add: AddKeyCommand = (name, description, run, isChange = true) => {
    const command = keys.command(name).description(description);
    if (isChange) command.option('--reason <text>', 'why, for the audit');
    return addOperatorAction(command, KEYS_REDIS, context, run);
  };
  addGrants(add, context);
  addReading(add, context);
  addEndings(add, context);
  addBackups(add, context);
}

function addReading(add: AddKeyCommand, context: KeysContext): void {
  const description = 'list the keys in Redis, when each was last used, and until when an old secret works';
  const list = async (ask: AskOperator): Promise<Report> => {
    const { keys, damaged } = await ask('keys', {});
    for (const id of damaged)
      context.err(`the record of key ${id} is damaged; callers with it are answered 503\n`);
    return { json: keys, blocks: [keyTable(keys, Date.now())] };
  };
  add('list', description, () => list, false);
  const show =
    ([id = '']: readonly string[]) =>
    async (ask: AskOperator) => {
      const { key } = await ask('keys.show', { id });
      return { json: key, blocks: keyLines(key) };
    };
  add('show', 'show one key', show, false).argument('<id>', ID);
}

/** The commands that end a secret, a key, or what is left of ended keys. */
function addEndings(add: AddKeyCommand, context: KeysContext): void {
  function report(done: ActionValue<'keys.delete'>): Report {
    warnUnconfirmed(done, context);
    const { deleted } = done;
    const text = deleted.length === 0 ? 'no key was deleted' : `deleted: ${deleted.join(', ')}`;
    return { json: { deleted }, blocks: [text] };
  }

  add(
    'rotate',
    'give a key a new secret; the old one goes on working for a while, one from before that ends at once',
    ([id = ''], { overlap, reason }: KeyOptions & { readonly overlap: string }) =>
      async (ask) =>
        changeReport(await ask('keys.rotate', { id, overlap, reason }), context),
  )
    .argument('<id>', ID)
    .option('--overlap <duration>', 'how long the old secret goes on working', parseSpan, '24h');

  add(
    'revoke',
    'end a key, everywhere within a second',
    ([id = ''], { reason }: KeyOptions) =>
      async (ask) =>
        changeReport(await ask('keys.revoke', { id, reason }), context),
  ).argument('<id>', ID);

  add(
    'delete',
    'forget a key that is revoked or has expired',
    ([id = ''], { reason }: KeyOptions) =>
      async (ask) =>
        report(await ask('keys.delete', { id, reason })),
  ).argument('<id>', ID);

  add(
    'prune',
    'forget all keys that were revoked or expired some time ago',
    (_args, { olderThan, reason }: KeyOptions & { readonly olderThan: string }) =>
      async (ask) =>
        report(await ask('keys.prune', { olderThan, reason })),
  ).option('--older-than <duration>', 'how long ago', parseSpan, '90d');
}

const PEPPER_REFERENCE = /^\s*pepper:\s*['"]?\$\{(\w+):-/m;

/** Which pepper a printed key is made with: a key works only where the gateway has the same. */
export function pepperNote(gatewayFile: string, variables: CliContext['env']): string {
  const variable = PEPPER_REFERENCE.exec(readFileSync(gatewayFile, 'utf8'))?.[1];
  if (variable === undefined || (variables[variable] ?? '') !== '')
    return `note: the key is made with auth.apiKeys.pepper of ${gatewayFile}; it works where the gateway has the same one\n`;
  return [
    `note: ${variable} is not set, so the key is made with the default in ${gatewayFile}, which everybody can read.`,
    `    hint: set ${variable} to the pepper of your gateway, or name its file: portico -c <file> keys create …\n`,
  ].join('\n');
}

/** A shell waits for it. */
const OFFER_TIMEOUT_MS = 700;

/** The ids of the keys, if a shell asks what completes words about keys, and the gateway of the configuration answers. */
export async function offeredKeys(
  args: readonly string[],
  configFile: () => string,
  context: CliContext,
): Promise<readonly string[]> {
  if (args[0] !== 'complete' || !args.some((word) => word === 'keys' || word === 'key')) return [];
  try {
    const { keys } = await askListener({ timeoutMs: OFFER_TIMEOUT_MS }, configFile(), context)('keys', {});
    return keys.map(({ id }) => id);
  } catch {
    return [];
  }
}
