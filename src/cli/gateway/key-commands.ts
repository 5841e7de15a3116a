// The commands of `portico keys` that say what a key may do, and those that back keys up; keys.ts has the others.

import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { mintAsAsked } from '../../admin/actions/keys/key-change-actions.ts';
import { keyView } from '../../admin/actions/keys/key-view.ts';
import { ActionRefusal } from '../../admin/api/action.ts';
import type { ActionRequest, ActionValue } from '../../admin/api/action-table.ts';
import { configuredKeyYaml, keyLines, newKeyLines } from '../../workbench/explain/report/key-report.ts';
import type { Report } from '../../workbench/explain/report/report.ts';
import { parseDuration } from '../../kernel/duration.ts';
import type { MintedKey } from '../../pipeline/stages/authentication/key-changes.ts';
import type { Replication } from '../../store/redis/await-replica.ts';
import { ExitError, exitCodes } from '../context/context.ts';
import { printReport } from '../output/print-report.ts';
import type { OperatorCommand, OperatorContext } from './run-action.ts';
import type { GatewayOptions } from './operator-api-client.ts';

/** What the commands on keys need of the program around them. */
export type KeysContext = OperatorContext & {
  /** Says which pepper a printed key is made with. */
  readonly pepperNote?: () => string;
};

/** Adds a command on keys; one that changes nothing (`isChange` is false) has no `--reason`. */
export type AddKeyCommand = (
  name: string,
  description: string,
  run: OperatorCommand,
  isChange?: boolean,
) => Command;

/** The options that all commands on keys have. */
export type KeyOptions = GatewayOptions & { readonly reason?: string };

/** The terms of a key, as options. `expires` is a duration such as `90d`. */
type TermOptions = KeyOptions & {
  readonly label: string;
  readonly permissions: readonly string[];
  readonly tier?: string;
  readonly expires?: string;
  readonly addresses?: readonly string[];
  readonly operations?: readonly string[];
};

/** What argument a command takes that is about one key. */
export const ID = 'the part between the underscores of the key';
const ADDRESSES = 'addresses and CIDR ranges that it may be used from, such as 10.0.0.0/8,2001:db8::/32';
const OPERATIONS = 'operations that it may use, such as users.list,products.list';

/** How many keys are sent in one request, because its body is bounded. */
const IMPORT_BATCH = 1_000;

const UNCONFIRMED_WARNING =
  'no replica has acknowledged the change within a second: if the master fails before one has it, it is undone. Look with `keys list` then, and repeat it\n';

/** Warns if it is not sure that a change outlives a failure of Redis. */
export function warnUnconfirmed({ replication }: { replication: Replication }, context: KeysContext): void {
  if (replication === 'unsure') context.err(UNCONFIRMED_WARNING);
}

/** The words of a list; none for the words that lift a restriction. */
function parseList(text: string): readonly string[] {
  if (text === 'anywhere' || text === 'all' || text === '') return [];
  return [...new Set(text.split(',').map((word) => word.trim()))];
}

/** Parses an option for commander. @throws InvalidArgumentError if it is no duration, and not `never` */
export function parseSpan(text: string): string {
  if (text !== 'never' && parseDuration(text) === undefined)
    throw new InvalidArgumentError('Write a duration such as 30m, 24h or 90d.');
  return text;
}

/** Makes a key for the configuration; nothing is stored. */
async function mintHere(request: ActionRequest<'keys.create'>, context: KeysContext): Promise<MintedKey> {
  const config = await context.loadConfig();
  try {
    const minted = mintAsAsked(request, config, Date.now());
    context.err(context.pepperNote?.() ?? '');
    return minted;
  } catch (error) {
    if (!(error instanceof ActionRefusal)) throw error;
    const { code, reason, hint } = error.problem;
    // What is wrong is in the words of the command, or in the configuration.
    throw new ExitError(code === 'bad_input' ? exitCodes.usage : exitCodes.config, `${reason}; ${hint}`);
  }
}

/** Makes a key for the configuration, and prints it with its entry for `auth.apiKeys.keys`. */
async function printNewKey(
  request: ActionRequest<'keys.create'>,
  json: boolean | undefined,
  context: KeysContext,
): Promise<undefined> {
  const { key, record } = await mintHere(request, context);
  const view = keyView(record, Date.now());
  const report = { json: { key, ...view, hash: record.hashes[0]?.hash }, blocks: newKeyLines(key) };
  printReport(report, json, context, 0);
  // As it is: YAML whose lines were broken to fit a terminal could not be copied.
  if (json !== true) context.out(configuredKeyYaml(record));
}

/** Reports a key that was changed, with its new secret if it has one. */
export function changeReport(
  done: ActionValue<'keys.update'> & { readonly secret?: string },
  context: KeysContext,
): Report {
  warnUnconfirmed(done, context);
  const { secret, key } = done;
  if (secret === undefined) return { json: key, blocks: keyLines(key) };
  const { oldSecretUntil } = key;
  const until = oldSecretUntil ? `works until ${oldSecretUntil}` : 'has ended';
  const json = { key: secret, oldUntil: oldSecretUntil, ...key };
  return { json, blocks: [...newKeyLines(secret), `The old secret ${until}.`] };
}

/** Adds the commands that make a key and say what it may do. */
export function addGrants(add: AddKeyCommand, context: KeysContext): void {
  add(
    'create',
    'create a key; its secret is shown this once',
    (_args, options: TermOptions & { readonly print?: boolean }) => {
      const { label, permissions, tier, expires, addresses, operations, reason, json } = options;
      const request = { label, permissions, tier, expires, addresses, operations, reason };
      if (options.print === true) return printNewKey(request, json, context);
      return async (ask) => {
        const made = await ask('keys.create', request);
        warnUnconfirmed(made, context);
        const { secret, key } = made;
        return { json: { key: secret, ...key }, blocks: [...newKeyLines(secret), ...keyLines(key)] };
      };
    },
  )
    .requiredOption('--label <text>', 'whose key it is, for lists')
    .requiredOption('--permissions <list>', 'such as users:read,products:read', parseList)
    .option('--tier <name>', 'a tier of limits.tiers; default: standard, or the only one')
    .option('--expires <duration>', 'such as 90d; never, if not given', parseSpan)
    .option('--addresses <list>', `${ADDRESSES}; default: anywhere`, parseList)
    .option('--operations <list>', `${OPERATIONS}; default: all`, parseList)
    .option('--print', 'store nothing: print the entry for auth.apiKeys.keys');

  add(
    'update',
    'change what a key may do, everywhere within a second; what is not named stays',
    ([id = ''], { label, tier, expires, permissions, reason, ...options }: Partial<TermOptions>) => {
      const { addresses, operations } = options;
      const terms = { label, tier, expires, permissions, addresses, operations };
      if (Object.values(terms).every((value) => value === undefined))
        throw new ExitError(
          exitCodes.usage,
          'name what is to change: --label, --permissions, --tier, --expires, --addresses or --operations',
        );
      return async (ask) => changeReport(await ask('keys.update', { id, ...terms, reason }), context);
    },
  )
    .argument('<id>', ID)
    .option('--label <text>', 'whose key it is')
    .option('--permissions <list>', 'such as users:read,products:read', parseList)
    .option('--tier <name>', 'a tier of limits.tiers')
    .option('--expires <duration>', 'from now, such as 90d; or never', parseSpan)
    .option('--addresses <list>', `${ADDRESSES}; or anywhere`, parseList)
    .option('--operations <list>', `${OPERATIONS}; or all`, parseList);
}

const jsonLine = (value: unknown) => `${JSON.stringify(value)}\n`;

/** The lines of an export. @throws Error made for the operator */
function readExport(file: string) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const values = lines.map((line, index) => {
    try {
      return JSON.parse(line) as Readonly<Record<string, unknown>>;
    } catch {
      const problem = `${file}:${index + 1}: this line is no JSON; import what \`portico keys export\` wrote`;
      throw new ExitError(exitCodes.usage, problem);
    }
  });
  const [head, ...keys] = values;
  if (head?.['portico'] !== 'keys' || typeof head['pepper'] !== 'string')
    throw new ExitError(
      exitCodes.usage,
      `${file}:1: this is no export of keys; import what \`portico keys export\` wrote`,
    );
  return { pepper: head['pepper'], keys: keys as readonly object[] as ActionRequest<'keys.import'>['keys'] };
}

/** Adds the commands that write all keys, and put them back. The first line of an export names the pepper, each other one is a key. */
export function addBackups(add: AddKeyCommand, context: KeysContext): void {
  add(
    'export',
    'write all keys with their hashes, one a line, for a backup or another Redis',
    (_args, { reason }: KeyOptions) =>
      async (ask) => {
        const { pepper, keys } = await ask('keys.export', { reason });
        context.out(jsonLine({ portico: 'keys', pepper }) + keys.map(jsonLine).join(''));
        context.err(
          `${keys.length} keys; they work only under the pepper of this gateway, so keep that too, elsewhere\n`,
        );
        return undefined;
      },
  );
  add(
    'import',
    'put back what `portico keys export` wrote; it needs the same pepper',
    ([file = ''], { reason }: KeyOptions) => {
      const { pepper, keys } = readExport(file);
      return async (ask) => {
        const done = [];
        for (let from = 0; from < keys.length; from += IMPORT_BATCH)
          done.push(
            await ask('keys.import', { pepper, keys: keys.slice(from, from + IMPORT_BATCH), reason }),
          );
        for (const part of done) warnUnconfirmed(part, context);
        const imported = done.reduce((sum, part) => sum + part.imported, 0);
        const skipped = done.flatMap((part) => part.skipped);
        const left = skipped.length > 0 ? [`left as they are: ${skipped.join(', ')}`] : [];
        return { json: { imported, skipped }, blocks: [`imported: ${imported} keys`, ...left] };
      };
    },
  ).argument('<file>', 'the lines');
}
