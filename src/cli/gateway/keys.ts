import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../kernel/duration.ts';
import type { CliContext } from '../context/context.ts';
import { addGatewayOptions } from './run-action.ts';
import {
  type CreateKeyOptions,
  type KeyOptions,
  type KeysContext,
  runChange,
  runCreate,
  runExport,
  runImport,
  runList,
  runPrune,
  runShow,
  type UpdateKeyOptions,
} from './key-commands.ts';
import { askListener } from './operator-api-client.ts';

const ID = 'the part between the underscores of the key';
const ADDRESSES = 'addresses and CIDR ranges that it may be used from, such as 10.0.0.0/8,2001:db8::/32';
const OPERATIONS = 'operations that it may use, such as users.list,products.list';

/** Registers the commands on API keys. The actions reject with an Error made for the operator. */
export function registerKeysCommand(program: Command, context: KeysContext): void {
  const keys = program.command('keys').description('manage API keys');

  /** A command on keys, with the options that all of them have. */
  function add(name: string, description: string, changes = true): Command {
    const command = keys.command(name).description(description);
    if (changes) command.option('--reason <text>', 'why, for the audit');
    return addGatewayOptions(command);
  }

  addGrants(add, context);
  addReading(add, context);
  addEndings(add, context);

  add('export', 'write all keys with their hashes, one a line, for a backup or another Redis').action(
    (options: KeyOptions) => runExport(options, context),
  );

  add('import', 'put back what `portico keys export` wrote; it needs the same pepper')
    .argument('<file>', 'the lines')
    .action((file: string, options: KeyOptions) => runImport(file, options, context));
}

/** Adds a command on keys; one that changes nothing has no `--reason`. */
type AddKeyCommand = (name: string, description: string, changes?: boolean) => Command;

/** The commands that say what a key may do. */
function addGrants(add: AddKeyCommand, context: KeysContext): void {
  add('create', 'create a key; its secret is shown this once')
    .requiredOption('--label <text>', 'whose key it is, for lists')
    .requiredOption('--permissions <list>', 'such as users:read,products:read', parseList)
    .option('--tier <name>', 'a tier of limits.tiers; default: standard, or the only one')
    .option('--expires <duration>', 'such as 90d; never, if not given', parseSpan)
    .option('--addresses <list>', `${ADDRESSES}; default: anywhere`, parseList)
    .option('--operations <list>', `${OPERATIONS}; default: all`, parseList)
    .option('--print', 'store nothing: print the entry for auth.apiKeys.keys')
    .action((options: CreateKeyOptions) => runCreate(options, context));

  add('update', 'change what a key may do, everywhere within a second; what is not named stays')
    .argument('<id>', ID)
    .option('--label <text>', 'whose key it is')
    .option('--permissions <list>', 'such as users:read,products:read', parseList)
    .option('--tier <name>', 'a tier of limits.tiers')
    .option('--expires <duration>', 'from now, such as 90d; or never', parseSpan)
    .option('--addresses <list>', `${ADDRESSES}; or anywhere`, parseList)
    .option('--operations <list>', `${OPERATIONS}; or all`, parseList)
    .action((id: string, options: UpdateKeyOptions) => runChange('keys.update', id, options, context));
}

function addReading(add: AddKeyCommand, context: KeysContext): void {
  add(
    'list',
    'list the keys in Redis, when each was last used, and until when an old secret works',
    false,
  ).action((options: KeyOptions) => runList(options, context));

  add('show', 'show one key', false)
    .argument('<id>', ID)
    .action((id: string, options: KeyOptions) => runShow(id, options, context));
}

/** The commands that end a secret, a key, or what is left of ended keys. */
function addEndings(add: AddKeyCommand, context: KeysContext): void {
  add(
    'rotate',
    'give a key a new secret; the old one goes on working for a while, one from before that ends at once',
  )
    .argument('<id>', ID)
    .option('--overlap <duration>', 'how long the old secret goes on working', parseSpan, '24h')
    .action((id: string, options: UpdateKeyOptions) => runChange('keys.rotate', id, options, context));

  add('revoke', 'end a key, everywhere within a second')
    .argument('<id>', ID)
    .action((id: string, options: UpdateKeyOptions) => runChange('keys.revoke', id, options, context));

  add('delete', 'forget a key that is revoked or has expired')
    .argument('<id>', ID)
    .action((id: string, options: UpdateKeyOptions) => runPrune({ ...options, id }, context));

  add('prune', 'forget all keys that were revoked or expired some time ago')
    .option('--older-than <duration>', 'how long ago', parseSpan, '90d')
    .action((options: KeyOptions & { olderThan: string }) => runPrune(options, context));
}

/** The words of a list; none for the words that lift a restriction. */
function parseList(text: string): readonly string[] {
  if (text === 'anywhere' || text === 'all' || text === '') return [];
  return [...new Set(text.split(',').map((word) => word.trim()))];
}

function parseSpan(text: string): string {
  if (text !== 'never' && parseDuration(text) === undefined)
    throw new InvalidArgumentError('Write a duration such as 30m, 24h or 90d.');
  return text;
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
