// The actions that change one API key: create, rotate, update, revoke, delete. `portico keys create --print` makes its key
// here, too, without Redis.

import type { Secret } from '../../../kernel/secret.ts';
import type { Clock } from '../../../kernel/clock.ts';
import {
  changeKey,
  createKey,
  findKey,
  KeyChangeError,
  mintKey,
  type MintedKey,
  revokeKey,
  rotateKey,
} from '../../../pipeline/stages/authentication/key-changes.ts';
import type { KeyRecord } from '../../../store/key-record.ts';
import { isForeignPepper } from '../../../store/known-peppers.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionInput } from '../../api/action-table.ts';
import type { ActionHandlers, ActionContext } from '../act.ts';
import { type KeysConfig, refuseUnknownTerms, restriction, spanOf, tierOf } from './key-terms.ts';
import { keyState, keyView } from './key-view.ts';
import { forgetKey, type KeysStores, type OnKeys, readLastUsed } from './with-key-stores.ts';

/**
 * What the actions that change keys need. `config` is called at each change; it has the pepper, and the tiers and operations
 * that a key may have. `onKeys` refuses if Redis fails, or if the configuration has no Redis for keys.
 */
export type KeyChangeDeps = {
  readonly onKeys: OnKeys;
  readonly config: () => KeysConfig;
  readonly clock: Clock;
};

/** The pepper of a configuration. @throws ActionRefusal */
export function pepperOf({ auth }: KeysConfig): Secret {
  if (auth.apiKeys !== undefined) return auth.apiKeys.pepper;
  const hint = 'add auth.apiKeys with a pepper, the same on every replica';
  throw new ActionRefusal('conflict', 'the configuration has no auth.apiKeys.pepper', hint);
}

/** Refuses to make a secret that no running gateway would accept. @throws ActionRefusal */
async function refuseForeignPepper({ uses }: KeysStores, config: KeysConfig, now: number): Promise<void> {
  if (!(await isForeignPepper(uses, pepperOf(config), now))) return;
  const reason = 'no running gateway has this pepper, so none would accept the key';
  const hint = 'set PORTICO_KEY_PEPPER to the pepper of the gateways, or ask one of them with --gateway';
  throw new ActionRefusal('conflict', reason, hint);
}

/** Makes a new key, checked against the configuration. @throws ActionRefusal */
export function mintAsAsked(input: ActionInput<'keys.create'>, config: KeysConfig, now: number): MintedKey {
  const { label, expires } = input;
  const terms = { permissions: [...new Set(input.permissions)], tier: tierOf(input.tier, config) };
  const [addresses, operations] = [restriction(input.addresses), restriction(input.operations)];
  refuseUnknownTerms({ ...terms, operations }, config);
  return mintKey(pepperOf(config), now, {
    label,
    ...terms,
    ...(addresses && { addresses }),
    ...(operations && { operations }),
    ...(expires === undefined || expires === 'never' ? {} : { expiresInMs: spanOf('expires', expires) }),
  });
}

/** The record after a change. Fields that the input lacks stay. */
function updated(
  { addresses, operations, expiresAt, ...record }: KeyRecord,
  input: ActionInput<'keys.update'>,
  now: number,
): KeyRecord {
  const { label = record.label, permissions = record.permissions, tier = record.tier, expires } = input;
  const ends =
    expires === undefined ? expiresAt : expires === 'never' ? undefined : now + spanOf('expires', expires);
  const from = input.addresses === undefined ? addresses : restriction(input.addresses);
  const uses = input.operations === undefined ? operations : restriction(input.operations);
  return {
    ...record,
    ...{ label, permissions, tier },
    ...(ends === undefined ? {} : { expiresAt: ends }),
    ...(from && { addresses: from }),
    ...(uses && { operations: uses }),
  };
}

/** Creates the actions that change API keys. */
export function createKeyChangeActions({ onKeys, config, clock }: KeyChangeDeps): ActionHandlers {
  const view = (record: KeyRecord, lastUsed?: number) => keyView(record, clock.now(), lastUsed);

  /** Changes one key. The audit gets the key before and after the change. */
  const change = (
    id: string,
    note: ActionContext['note'],
    work: (stores: KeysStores) => Promise<KeyRecord>,
  ) =>
    onKeys(async (stores) => {
      note({ target: id });
      const found = await findKey(stores.store, id);
      const used = (await readLastUsed(stores, [id])).get(id);
      const before = view(found, used);
      const key = view(await work(stores), used);
      note({ target: id, before, after: key });
      return { key, replication: await stores.confirm() };
    });

  return {
    'keys.create': (input, { note }) =>
      onKeys(async (stores) => {
        const { store, confirm } = stores;
        await refuseForeignPepper(stores, config(), clock.now());
        const { key, record } = await createKey(store, () => mintAsAsked(input, config(), clock.now()));
        note({ target: record.id, after: view(record) });
        return { secret: key, key: view(record), replication: await confirm() };
      }),
    'keys.update': (input, { note }) => {
      refuseUnknownTerms(input, config());
      return change(input.id, note, ({ store }) =>
        changeKey(store, input.id, (record) => updated(record, input, clock.now())),
      );
    },
    async 'keys.rotate'({ id, overlap }, { note }) {
      const ms = spanOf('overlap', overlap);
      let secret = '';
      const done = await change(id, note, async (stores) => {
        const { store } = stores;
        await refuseForeignPepper(stores, config(), clock.now());
        const minted = await rotateKey(store, id, pepperOf(config()), clock.now(), ms);
        secret = minted.key;
        return minted.record;
      });
      return { secret, ...done };
    },
    'keys.revoke': ({ id }, { note }) => change(id, note, ({ store }) => revokeKey(store, id, clock.now())),
    'keys.delete': ({ id }, { note }) =>
      onKeys(async (stores) => {
        note({ target: id });
        const record = await findKey(stores.store, id);
        if (keyState(record, clock.now()) === 'valid')
          throw new KeyChangeError('conflict', `key ${id} is valid: revoke it first`);
        await forgetKey(stores, id);
        note({ target: id, before: view(record) });
        return { deleted: [id], replication: await stores.confirm() };
      }),
  };
}
