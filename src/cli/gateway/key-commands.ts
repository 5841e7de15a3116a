// What each command of `portico keys` does; keys.ts registers them.

import { readFileSync } from 'node:fs';
import { createKeyActions } from '../../admin/actions/keys/key-actions.ts';
import { mintAsAsked } from '../../admin/actions/keys/key-change-actions.ts';
import { openKeys } from '../../admin/operator-actions.ts';
import { keyView } from '../../admin/actions/keys/key-view.ts';
import { ActionRefusal } from '../../admin/api/action.ts';
import type { ActionRequest } from '../../admin/api/action-table.ts';
import {
  configuredKeyYaml,
  keyLines,
  keyTable,
  newKeyLines,
} from '../../workbench/explain/report/key-report.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { MintedKey } from '../../pipeline/stages/authentication/key-changes.ts';
import type { Replication } from '../../store/redis/await-replica.ts';
import { ExitError, exitCodes } from '../context/context.ts';
import { printReport } from '../output/print-report.ts';
import { type OnRedisItself, type OperatorContext, withAsk } from './run-action.ts';
import type { AskOperator, GatewayOptions } from './operator-api-client.ts';

/** What the commands on keys need of the program around them. */
export type KeysContext = OperatorContext & {
  /** Says which pepper a printed key is made with. */
  readonly pepperNote?: () => string;
};

/** The options that all commands on keys have. */
export type KeyOptions = GatewayOptions & { readonly reason?: string };

/**
 * The options of `portico keys create`. `expires` is a duration such as `90d`; `print` stores nothing and shows the entry
 * for `auth.apiKeys.keys`.
 */
export type CreateKeyOptions = KeyOptions & {
  readonly label: string;
  readonly permissions: readonly string[];
  readonly tier?: string;
  readonly expires?: string;
  readonly addresses?: readonly string[];
  readonly operations?: readonly string[];
  readonly print?: boolean;
};

/**
 * The options of `portico keys update`, `rotate`, `revoke` and `delete` together: what is absent stays. `overlap` is how long the
 * old secret of a rotation goes on working, a duration such as `7d`.
 */
export type UpdateKeyOptions = KeyOptions & Partial<CreateKeyOptions> & { readonly overlap?: string };

/** Keys that are imported with one request. */
const IMPORT_BATCH = 1_000;

const UNCONFIRMED_WARNING =
  'no replica has acknowledged the change within a second: if the master fails before one has it, it is undone. Look with `keys list` then, and repeat it\n';

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

const jsonLine = (value: unknown) => `${JSON.stringify(value)}\n`;

function onKeys<T>(
  options: GatewayOptions,
  context: KeysContext,
  work: (ask: AskOperator) => Promise<T>,
): Promise<T> {
  return withAsk(options, KEYS_REDIS, context, work);
}

function warnUnconfirmed({ replication }: { replication: Replication }, context: KeysContext): void {
  if (replication === 'unsure') context.err(UNCONFIRMED_WARNING);
}

/** Makes a key for the configuration; nothing is stored. */
async function printKey(request: ActionRequest<'keys.create'>, context: KeysContext): Promise<MintedKey> {
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

/** `portico keys create`. */
export async function runCreate(options: CreateKeyOptions, context: KeysContext): Promise<void> {
  const { label, permissions, tier, expires, addresses, operations, reason, json } = options;
  const request = { label, permissions, tier, expires, addresses, operations, reason };
  if (options.print === true) {
    const { key, record } = await printKey(request, context);
    const { hashes } = record;
    const view = keyView(record, Date.now());
    const report = { json: { key, ...view, hash: hashes[0]?.hash }, blocks: newKeyLines(key) };
    printReport(report, json, context, 0);
    // As it is: YAML whose lines were broken to fit a terminal could not be copied.
    if (json !== true) context.out(configuredKeyYaml(record));
    return;
  }
  const made = await onKeys(options, context, (ask) => ask('keys.create', request));
  warnUnconfirmed(made, context);
  const { secret, key } = made;
  const blocks = [...newKeyLines(secret), ...keyLines(key)];
  printReport({ json: { key: secret, ...key }, blocks }, json, context, 0);
}

/** `portico keys list`. */
export async function runList(options: KeyOptions, context: KeysContext): Promise<void> {
  const { keys, damaged } = await onKeys(options, context, (ask) => ask('keys', {}));
  printReport({ json: keys, blocks: [keyTable(keys, Date.now())] }, options.json, context, 0);
  for (const id of damaged)
    context.err(`the record of key ${id} is damaged; callers with it are answered 503\n`);
}

/** `portico keys show`. */
export async function runShow(id: string, options: KeyOptions, context: KeysContext): Promise<void> {
  const { key } = await onKeys(options, context, (ask) => ask('keys.show', { id }));
  printReport({ json: key, blocks: keyLines(key) }, options.json, context, 0);
}

/** `portico keys update`, `rotate` and `revoke`. */
export async function runChange(
  name: 'keys.update' | 'keys.rotate' | 'keys.revoke',
  id: string,
  { label, tier, expires, permissions, addresses, operations, overlap, reason, ...options }: UpdateKeyOptions,
  context: KeysContext,
): Promise<void> {
  const terms = { label, tier, expires, permissions, addresses, operations };
  if (name === 'keys.update' && Object.values(terms).every((value) => value === undefined))
    throw new ExitError(
      exitCodes.usage,
      'name what is to change: --label, --permissions, --tier, --expires, --addresses or --operations',
    );
  const done = await onKeys(options, context, async (ask) => {
    if (name === 'keys.revoke') return ask(name, { id, reason });
    if (name === 'keys.update') return ask(name, { id, ...terms, reason });
    return ask(name, { id, overlap, reason });
  });
  warnUnconfirmed(done, context);
  const secret = 'secret' in done ? String(done.secret) : undefined;
  const { oldSecretUntil } = done.key;
  const until = oldSecretUntil ? `works until ${oldSecretUntil}` : 'has ended';
  const report = {
    json: { ...(secret && { key: secret, oldUntil: oldSecretUntil }), ...done.key },
    blocks: secret === undefined ? keyLines(done.key) : [...newKeyLines(secret), `The old secret ${until}.`],
  };
  printReport(report, options.json, context, 0);
}

/** `portico keys delete` and `prune`. */
export async function runPrune(
  options: KeyOptions & { readonly id?: string; readonly olderThan?: string },
  context: KeysContext,
): Promise<void> {
  const { id, olderThan, reason } = options;
  const done = await onKeys(options, context, (ask) =>
    id === undefined ? ask('keys.prune', { olderThan, reason }) : ask('keys.delete', { id, reason }),
  );
  warnUnconfirmed(done, context);
  const { deleted } = done;
  const text = deleted.length === 0 ? 'no key was deleted' : `deleted: ${deleted.join(', ')}`;
  printReport({ json: { deleted }, blocks: [text] }, options.json, context, 0);
}

/** `portico keys export`: the first line names the pepper, each other one is a key. */
export async function runExport(options: KeyOptions, context: KeysContext): Promise<void> {
  const { pepper, keys } = await onKeys(options, context, (ask) =>
    ask('keys.export', { reason: options.reason }),
  );
  context.out(jsonLine({ portico: 'keys', pepper }) + keys.map(jsonLine).join(''));
  context.err(
    `${keys.length} keys; they work only under the pepper of this gateway, so keep that too, elsewhere\n`,
  );
}

/** The lines of an export. @throws Error made for the operator */
function readExport(file: string) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const values = lines.map((line, index) => {
    try {
      return JSON.parse(line) as Readonly<Record<string, unknown>>;
    } catch {
      throw new ExitError(
        exitCodes.usage,
        `${file}:${index + 1}: this line is no JSON; import what \`portico keys export\` wrote`,
      );
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

/** `portico keys import`. */
export async function runImport(file: string, options: KeyOptions, context: KeysContext): Promise<void> {
  const { pepper, keys } = readExport(file);
  const { reason } = options;
  const done = await onKeys(options, context, async (ask) => {
    const parts = [];
    for (let from = 0; from < keys.length; from += IMPORT_BATCH)
      parts.push(await ask('keys.import', { pepper, keys: keys.slice(from, from + IMPORT_BATCH), reason }));
    return parts;
  });
  for (const part of done) warnUnconfirmed(part, context);
  const imported = done.reduce((sum, part) => sum + part.imported, 0);
  const skipped = done.flatMap((part) => part.skipped);
  const left = skipped.length > 0 ? [`left as they are: ${skipped.join(', ')}`] : [];
  const blocks = [`imported: ${imported} keys`, ...left];
  printReport({ json: { imported, skipped }, blocks }, options.json, context, 0);
}
