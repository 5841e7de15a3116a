import { type KeyRecord, readKeyRecord, writeKeyRecord } from '../../../store/key-record.ts';
import { pepperCheck } from '../../../store/known-peppers.ts';
import { foundRecords } from '../../../store/key-store.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionHandlers } from '../act.ts';
import { type KeyChangeDeps, pepperOf } from './key-change-actions.ts';
import { spanOf } from './key-terms.ts';
import { forgetKey } from './with-key-stores.ts';

/** Reads the record of a key from an export. @throws ActionRefusal */
function readRecord(value: { readonly id: string }): KeyRecord {
  const record = readKeyRecord(value.id, JSON.stringify(value));
  if (record !== undefined) return record;
  const hint = 'import what keys export wrote, as it is';
  throw new ActionRefusal('bad_input', `the record of key ${value.id} cannot be read`, hint);
}

/** Creates the actions on many keys: prune, export, import. */
export function createKeyBulkActions({ onKeys, config, clock }: KeyChangeDeps): ActionHandlers {
  return {
    'keys.prune': ({ olderThan }, { note }) =>
      onKeys(async (stores) => {
        const { store, confirm } = stores;
        const before = clock.now() - spanOf('olderThan', olderThan);
        const records = foundRecords(await store.list());
        const ended = records.flatMap(({ id, expiresAt = Infinity, revokedAt = Infinity }) =>
          Math.min(expiresAt, revokedAt) <= before ? [id] : [],
        );
        for (const id of ended) await forgetKey(stores, id);
        note({ target: `${ended.length} keys`, before: ended.slice(0, 100) });
        return { deleted: ended, replication: await confirm() };
      }),
    'keys.export': (_input, { note }) =>
      onKeys(async ({ store }) => {
        const records = foundRecords(await store.list());
        note({ target: `${records.length} keys` });
        const keys = records.map((record) => JSON.parse(writeKeyRecord(record)) as KeyRecord);
        return { pepper: pepperCheck(pepperOf(config())), keys };
      }),
    'keys.import': ({ pepper, keys }, { note }) =>
      onKeys(async ({ store, confirm }) => {
        note({ target: `${keys.length} keys` });
        if (pepper !== pepperCheck(pepperOf(config())))
          throw new ActionRefusal(
            'conflict',
            'these keys were stored under another pepper, so none of them would be accepted here',
            'set PORTICO_KEY_PEPPER to the pepper of the gateway that they come from',
          );
        const records = keys.map(readRecord);
        const skipped: string[] = [];
        for (const record of records) if (!(await store.create(record))) skipped.push(record.id);
        const imported = records.length - skipped.length;
        note({ target: `${keys.length} keys`, after: { imported, skipped: skipped.slice(0, 100) } });
        return { imported, skipped, replication: await confirm() };
      }),
  };
}
