// Puts the actions on API keys together, for the console and `portico keys`, and implements those that only read.

import type { Clock } from '../../../kernel/clock.ts';
import { findKey } from '../../../pipeline/stages/authentication/key-changes.ts';
import { foundRecords } from '../../../store/key-store.ts';
import type { ActionHandlers } from '../act.ts';
import { createKeyChangeActions } from './key-change-actions.ts';
import { createKeyBulkActions } from './key-bulk-actions.ts';
import type { KeysConfig } from './key-terms.ts';
import { keyView } from './key-view.ts';
import { compileOnKeys, type KeysStores, readLastUsed } from './with-key-stores.ts';

/** What the actions on keys need. Without `stores`, each is refused as `conflict`, with the hint `portico keys create --print`. */
export type KeyActionsDeps = {
  /** Absent if the configuration has no Redis for keys. */
  readonly stores: KeysStores | undefined;
  /** The configuration at this moment. */
  readonly config: () => KeysConfig;
  readonly clock: Clock;
};

/** The keys as operators see them, without the time of the last use if it cannot be read. */
async function readKeys(stores: KeysStores, clock: Clock) {
  const found = await stores.store.list();
  const records = foundRecords(found);
  const used = await readLastUsed(
    stores,
    records.map(({ id }) => id),
  );
  return {
    keys: records.map((record) => keyView(record, clock.now(), used.get(record.id))),
    damaged: found.flatMap(({ id, lookup }) => (lookup.kind === 'damaged' ? [id] : [])),
  };
}

/** Creates the actions on API keys. */
export function createKeyActions({ stores, config, clock }: KeyActionsDeps): ActionHandlers {
  const onKeys = compileOnKeys(stores);
  return {
    keys: () => onKeys((all) => readKeys(all, clock)),
    'keys.show': ({ id }) =>
      onKeys(async (stores) => {
        const record = await findKey(stores.store, id);
        const used = await readLastUsed(stores, [id]);
        return { key: keyView(record, clock.now(), used.get(id)) };
      }),
    ...createKeyChangeActions({ onKeys, config, clock }),
    ...createKeyBulkActions({ onKeys, config, clock }),
  };
}
