// The part of the view of callers in which an operator makes, rotates and revokes the API keys in Redis.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { KeyList } from '../../../api/key-schemas.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import {
  actionDialog,
  type ActionForm,
  type ChangeDeps,
  reasonField,
  sendChange,
} from '../parts/action-dialog.ts';
import { dataTable, fieldColumn, numberColumn, textColumn, timeColumn } from '../parts/data-table.ts';
import { html } from '../parts/html.ts';
import { cardOf, emptyNote, problemNote, skeleton, stateMark, timeMark } from '../parts/marks.ts';
import { agoText } from '../show/times.ts';

type KeyRow = KeyList['keys'][number];

const stateTone = { valid: 'good', expired: 'idle', revoked: 'bad' } as const;

/** The words of a list that somebody typed, separated by blanks or commas. */
const listOf = (text: string | undefined) => (text ?? '').split(/[\s,]+/).filter(Boolean);

type Minted = { readonly secret: string; readonly key: KeyRow; readonly replication?: string };

/** The secret of a key, this once. It is in no address and in no store of the browser. */
function secretNote({ secret, key, replication }: Minted): VNode {
  const copy = () => void navigator.clipboard.writeText(secret);
  return html`<div>
    <p>Key <b>${key.id}</b> works now. Copy its secret: it is <strong>not shown again</strong>.</p>
    <p class="secret">
      <code aria-label="Secret">${secret}</code><button type="button" onClick=${copy}>Copy</button>
    </p>
    ${replication === 'unsure' && html`<p class="notice warn">No replica of Redis has acknowledged it within a second.</p>`}
  </div>`;
}

function createForm(deps: ChangeDeps): ActionForm {
  return {
    title: 'Create a key',
    text: html`<p>It works everywhere within a second.</p>`,
    verb: 'Create key',
    fields: [
      { name: 'label', label: 'Whose key it is', isNeeded: true },
      {
        name: 'permissions',
        label: 'Permissions',
        isNeeded: true,
        hint: 'Separated by blanks; name:read for a resource.',
      },
      { name: 'tier', label: 'Tier (optional)', hint: 'One of limits.tiers; empty: the default.' },
      { name: 'expires', label: 'Expires (optional)', hint: 'A span from now, such as 90d; or never.' },
      {
        name: 'addresses',
        label: 'Addresses (optional)',
        hint: 'Addresses and CIDR ranges; empty: from anywhere.',
      },
      {
        name: 'operations',
        label: 'Operations (optional)',
        hint: 'name.list and name.get of a resource, passthrough.name of a route; empty: all.',
      },
      reasonField(false),
    ],
    async run({ permissions, addresses, operations, ...values }) {
      const lists = {
        addresses: addresses && listOf(addresses),
        operations: operations && listOf(operations),
      };
      const key = { ...values, permissions: listOf(permissions), ...lists };
      return secretNote(await sendChange<Minted>(deps, 'keys', key));
    },
  };
}

function rotateForm(deps: ChangeDeps, { id, label }: KeyRow): ActionForm {
  return {
    title: `Rotate ${id}`,
    text: html`<p>
      ${label} gets a new secret. The old one goes on working for the overlap; one from before that ends at
      once.
    </p>`,
    verb: 'Rotate key',
    fields: [
      { name: 'overlap', label: 'Overlap', value: '24h', isNeeded: true, hint: 'A span such as 24h.' },
      reasonField(false),
    ],
    run: async (values) => secretNote(await sendChange<Minted>(deps, `keys/${id}/rotate`, values)),
  };
}

function revokeForm(deps: ChangeDeps, { id, label }: KeyRow): ActionForm {
  return {
    title: `Revoke ${id}`,
    text: html`<p>
      The key of <b>${label}</b> ends for good, everywhere within a second. This cannot be undone.
    </p>`,
    verb: 'Revoke key',
    isDangerous: true,
    fields: [reasonField(true)],
    async run(values) {
      await sendChange(deps, `keys/${id}/revoke`, values);
      return undefined;
    },
  };
}

type KeyActions = { readonly rotate: (key: KeyRow) => void; readonly revoke: (key: KeyRow) => void };

function keysTable({ keys }: KeyList, now: number, actions: KeyActions | undefined): VNode {
  const buttons = (key: KeyRow) =>
    key.state !== 'valid' || actions === undefined
      ? ''
      : html`<span class="row-actions">
          <button type="button" onClick=${() => actions.rotate(key)}>
            Rotate<span class="hidden"> ${key.id}</span>
          </button>
          <button type="button" class="danger" onClick=${() => actions.revoke(key)}>
            Revoke<span class="hidden"> ${key.id}</span>
          </button>
        </span>`;
  return dataTable<KeyRow>({
    ...{ id: 'keys', label: 'keys', order: 'label', rows: keys },
    keyOf: ({ id }) => id,
    textOf: ({ id, label, state, tier, permissions }) =>
      `${id} ${label} ${state} ${tier} ${permissions.join(' ')}`,
    columns: [
      textColumn(
        'label',
        'Whose',
        ({ label, id }) => `${label} ${id}`,
        ({ id, label }) => html`<b>${label === '' ? id : label}</b> <small><code>${id}</code></small>`,
      ),
      fieldColumn('state', 'State', ({ state }) => stateMark(stateTone[state], state)),
      {
        key: 'permissions',
        title: 'May read',
        cell: ({ permissions, operations }) =>
          html`${permissions.join(', ')}${operations === undefined ? '' : html`<small> only ${operations.join(', ')}</small>`}`,
      },
      fieldColumn('tier', 'Tier'),
      { key: 'addresses', title: 'From', cell: ({ addresses }) => addresses?.join(', ') ?? 'anywhere' },
      numberColumn(
        'expires',
        'Ends',
        ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt,
        (at, { revokedAt }) => {
          if (at === undefined) return 'never';
          return revokedAt ? timeMark(at, now) : html`<span title=${at}>${agoText(at, now)}</span>`;
        },
      ),
      timeColumn('lastUsedAt', 'Last used', now),
      ...(actions === undefined ? [] : [{ key: 'do', title: 'Change', cell: buttons }]),
    ],
    empty: 'There is no key in Redis. Keys of the configuration file are not listed here.',
  });
}

/** The part of a view with the API keys in Redis, where an operator makes, rotates and revokes them. */
export function KeysSection(): VNode {
  const { ask, canWrite, now } = useConsole();
  const { value, problem, reload } = useLoad<KeyList>('keys');
  const [form, setForm] = useState<ActionForm>();
  const deps = { ask, reload };
  const actions = canWrite
    ? {
        rotate: (key: KeyRow) => setForm(rotateForm(deps, key)),
        revoke: (key: KeyRow) => setForm(revokeForm(deps, key)),
      }
    : undefined;
  // A gateway may run without Redis. Then there are no keys to list or make, and that is no failure.
  const isEmbedded = problem?.code === 'conflict';
  const create = () => setForm(createForm(deps));
  const content = html`<div>
    ${isEmbedded ? emptyNote(`${problem.message}: ${problem.hint}`) : problemNote(problem, reload)}
    ${value !== undefined && value.damaged.length > 0 && html`<p class="notice bad">These records cannot be read, and their callers get 503: ${value.damaged.join(', ')}</p>`}
    ${value === undefined ? (problem ? null : skeleton()) : keysTable(value, now, actions)}
    ${value && canWrite && html`<p><button type="button" class="primary" onClick=${create}>Create a key</button></p>`}
    ${actionDialog(form, () => setForm(undefined))}
  </div>`;
  return cardOf(
    'Keys',
    'Of the whole fleet: those in Redis, without their secrets. “Last used” is to the minute.',
    content,
  );
}
