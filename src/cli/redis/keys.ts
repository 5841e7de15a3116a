import { type Command, InvalidArgumentError, Option } from 'commander';
import { closest } from '../../config/validate/closest.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { permission } from '../../config/schema/scalars.ts';
import { resources } from '../../contract/resources.ts';
import { hasControl } from '../../kernel/control-characters.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { createKeyStore, type KeyStore } from '../../store/key-store.ts';
import { awaitReplica } from '../../store/redis/await-replica.ts';
import { createKey, mintKey, revokeKey, rotateKey } from '../../policy/authentication/key-changes.ts';
import { configuredKeyYaml, keyJson, keyLine, newKeyText } from '../../explain/report/key-report.ts';
import { withRedis } from '../input/with-redis.ts';

/** What the command needs of the program around it. */
export type KeysContext = {
  /** Reads the configuration; rejects where it cannot be used. */
  readonly loadConfig: () => Promise<GatewayConfig>;
  /** Says which pepper a printed key is made with. */
  readonly pepperNote?: () => string;
  /** Writes to standard output, as it is. */
  readonly out: (text: string) => void;
  /** Writes to standard error, as it is. */
  readonly err: (text: string) => void;
};

type CreateOptions = {
  readonly label: string;
  readonly permissions: readonly string[];
  readonly tier?: string;
  readonly expires?: number;
  readonly print?: boolean;
  readonly json?: boolean;
};

/** A hundred years. */
const MS_MAX = 36_500 * 86_400_000;

/** Registers `portico keys create | list | rotate | revoke`. The actions reject with an Error made for the operator. */
export function registerKeysCommand(program: Command, context: KeysContext): void {
  const keys = program.command('keys').description('manage API keys');

  keys
    .command('create')
    .description('create a key; its secret is shown this once')
    .requiredOption('--label <text>', 'whose key it is, for lists', parseLabel)
    .requiredOption('--permissions <list>', 'such as users:read,products:read', parsePermissions)
    .option('--tier <name>', 'a tier of limits.tiers; default: standard, or the only one')
    .option('--expires <duration>', 'such as 90d; never, if not given', parseMs)
    .option('--print', 'store nothing: print the entry for auth.apiKeys.keys')
    .option('--json', 'answer in JSON')
    .action((options: CreateOptions) => runCreate(options, context));

  keys
    .command('list')
    .description('list the keys in Redis')
    .option('--json', 'answer in JSON')
    .action((options: { json?: boolean }) => runList(options, context));

  keys
    .command('rotate')
    .description('give a key a new secret; the old one goes on working for a while')
    .argument('<id>', 'the part between the underscores of the key')
    .addOption(
      new Option('--overlap <duration>', 'how long the old secret goes on working')
        .argParser(parseMs)
        .default(24 * 3_600_000, '24h'),
    )
    .option('--json', 'answer in JSON')
    .action((id: string, options: { overlap: number; json?: boolean }) => runRotate(id, options, context));

  keys
    .command('revoke')
    .description('end a key, everywhere within a second')
    .argument('<id>', 'the part between the underscores of the key')
    .option('--json', 'answer in JSON')
    .action((id: string, options: { json?: boolean }) => runRevoke(id, options, context));
}

function parseLabel(text: string): string {
  if (text.length > 80 || hasControl(text))
    throw new InvalidArgumentError('At most 80 printable characters.');
  return text;
}

function parsePermissions(text: string): readonly string[] {
  const names = [...new Set(text.split(','))];
  const wrong = names.find((name) => !permission.safeParse(name).success);
  if (wrong !== undefined)
    throw new InvalidArgumentError('Write permissions such as users:read,products:read.');
  return names;
}

function parseMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms > MS_MAX)
    throw new InvalidArgumentError('Write a duration such as 30m, 24h or 90d.');
  return ms;
}

function pepperOf(config: GatewayConfig) {
  const pepper = config.auth.apiKeys?.pepper;
  if (pepper === undefined) throw new Error('the configuration has no auth.apiKeys.pepper');
  return pepper;
}

const UNCONFIRMED_WARNING =
  'no replica has acknowledged the change within a second: if the master fails before one has it, it is undone. Look with `keys list` then, and repeat it\n';

const KEYS_REDIS = { role: 'keys', without: 'make keys for the embedded mode with --print' } as const;

function withKeyStore<T>(
  config: GatewayConfig,
  { err }: KeysContext,
  work: (store: KeyStore) => Promise<T>,
): Promise<T> {
  return withRedis(config, err, KEYS_REDIS, (client, keys) => work(createKeyStore(client, keys)));
}

/** Refuses a permission that nothing needs: it is a typing mistake, and its key could read nothing. */
function refuseUnknown(permissions: readonly string[], { passthrough }: GatewayConfig): void {
  const asked = [
    ...Object.values(resources).map(({ permission: name }) => name),
    ...passthrough.flatMap(({ permission: name }) => name ?? []),
  ];
  const known = [...new Set(asked)];
  const wrong = permissions.find((name) => !known.includes(name));
  if (wrong === undefined) return;
  const near = closest(wrong, known);
  const hint = near === undefined ? '' : ` did you mean ${near}?`;
  throw new Error(`nothing asks for the permission ${wrong};${hint} permissions: ${known.join(', ')}`);
}

/** The tier that was named; without a name `standard`, or the only tier there is. */
function tierOf({ tier }: CreateOptions, { limits }: GatewayConfig): string {
  const names = Object.keys(limits.tiers);
  const [only] = names.length === 1 ? names : [];
  const chosen = tier ?? (names.includes('standard') ? 'standard' : only);
  if (chosen !== undefined && names.includes(chosen)) return chosen;
  const wrong =
    chosen === undefined ? 'no tier was named, and none is called standard' : `no tier is named ${chosen}`;
  throw new Error(
    `${wrong}; write --tier ${closest(chosen ?? '', names) ?? names[0] ?? '<name>'}; tiers: ${names.join(', ')}`,
  );
}

async function runCreate(options: CreateOptions, context: KeysContext): Promise<void> {
  const { out } = context;
  const config = await context.loadConfig();
  const tier = tierOf(options, config);
  refuseUnknown(options.permissions, config);
  const { label, permissions, expires } = options;
  const mint = () =>
    mintKey(pepperOf(config), Date.now(), {
      label,
      permissions,
      tier,
      ...(expires === undefined ? {} : { expiresInMs: expires }),
    });
  const made =
    options.print === true ? mint() : await changeKeys(config, context, (store) => createKey(store, mint));
  if (options.print === true) context.err(context.pepperNote?.() ?? '');
  if (options.json === true) {
    out(`${JSON.stringify({ key: made.key, ...keyJson(made.record, options.print) })}\n`);
    return;
  }
  out(newKeyText(made.key));
  out(options.print === true ? configuredKeyYaml(made.record) : `${keyLine(made.record, Date.now())}\n`);
}

/** Changes keys and waits for a replica: what only the master has is lost with it. */
async function changeKeys<T>(
  config: GatewayConfig,
  context: KeysContext,
  change: (store: KeyStore) => Promise<T>,
): Promise<T> {
  return withRedis(config, context.err, KEYS_REDIS, async (client, keys) => {
    const changed = await change(createKeyStore(client, keys));
    if ((await awaitReplica(client)) === 'unsure') context.err(UNCONFIRMED_WARNING);
    return changed;
  });
}

async function runList({ json }: { json?: boolean }, context: KeysContext): Promise<void> {
  const { out, err } = context;
  const found = await withKeyStore(await context.loadConfig(), context, (store) => store.list());
  const records = found.flatMap(({ lookup }) => (lookup.kind === 'found' ? [lookup.record] : []));
  const damaged = found.filter(({ lookup }) => lookup.kind === 'damaged').map(({ id }) => id);
  if (json === true) out(`${JSON.stringify(records.map((record) => keyJson(record)))}\n`);
  else for (const record of records) out(`${keyLine(record, Date.now())}\n`);
  for (const id of damaged) err(`the record of key ${id} is damaged; callers with it are answered 503\n`);
}

async function runRotate(
  id: string,
  options: { overlap: number; json?: boolean },
  context: KeysContext,
): Promise<void> {
  const config = await context.loadConfig();
  const now = Date.now();
  const { key, record } = await changeKeys(config, context, (store) =>
    rotateKey(store, id, pepperOf(config), now, options.overlap),
  );
  const oldUntil = new Date(now + options.overlap).toISOString();
  if (options.json === true) {
    context.out(`${JSON.stringify({ key, oldUntil, ...keyJson(record) })}\n`);
    return;
  }
  context.out(newKeyText(key));
  context.out(`The old secret works until ${oldUntil}.\n`);
}

async function runRevoke(id: string, { json }: { json?: boolean }, context: KeysContext): Promise<void> {
  const record = await changeKeys(await context.loadConfig(), context, (store) =>
    revokeKey(store, id, Date.now()),
  );
  context.out(json === true ? `${JSON.stringify(keyJson(record))}\n` : `${keyLine(record, Date.now())}\n`);
}
