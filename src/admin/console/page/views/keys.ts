import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AskApi } from '../data/api.ts';
import type { KeyList } from '../../../api/key-schemas.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { actionDialog, type ActionForm, type FormValues, reasonField } from '../parts/action-dialog.ts';
import { dataTable } from '../parts/data-table.ts';
import { html } from '../parts/html.ts';
import { cardOf, emptyNote, problemNote, skeleton, stateMark, timeMark } from '../parts/marks.ts';
import { agoText } from '../show/times.ts';

type KeyRow = KeyList['keys'][number];

const stateTone = { valid: 'good', expired: 'idle', revoked: 'bad' } as const;

/** The words of a list that somebody typed, separated by blanks or commas. */
const listOf = (text: string | undefined) => (text ?? '').split(/[\s,]+/).filter(Boolean);

/** A body without what was left empty. */
function bodyOf(values: FormValues, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}

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

function createForm(ask: AskApi, reload: () => void): ActionForm {
  return {
    title: 'Create a key',
    text: html`<p>It works everywhere within a second.</p>`,
    verb: 'Create key',
    fields: [
      { name: 'label', label: 'Whose key it is', isNeeded: true },
      {
        name: 'permissions',
        label: 'Permissions',
        value: 'users:read',
        isNeeded: true,
        hint: 'Separated by blanks, such as users:read products:read.',
      },
      { name: 'tier', label: 'Tier (optional)', hint: 'One of limits.tiers; empty: the default.' },
      { name: 'expires', label: 'Expires (optional)', hint: 'A span from now, such as 90d; or never.' },
      {
        name: 'addresses',
        label: 'Addresses (optional)',
        hint: 'Addresses and CIDR ranges; empty: from anywhere.',
      },
      { name: 'operations', label: 'Operations (optional)', hint: 'Such as users.list; empty: all.' },
      reasonField(false),
    ],
    async run(values) {
      const lists = { addresses: listOf(values['addresses']), operations: listOf(values['operations']) };
      const body = {
        ...bodyOf(values, ['label', 'tier', 'expires', 'reason']),
        permissions: listOf(values['permissions']),
        ...(lists.addresses.length > 0 && { addresses: lists.addresses }),
        ...(lists.operations.length > 0 && { operations: lists.operations }),
      };
      const minted = await ask<Minted>('keys', { method: 'POST', body });
      reload();
      return secretNote(minted);
    },
  };
}

function rotateForm(ask: AskApi, { id, label }: KeyRow, reload: () => void): ActionForm {
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
    async run(values) {
      const minted = await ask<Minted>(`keys/${id}/rotate`, {
        method: 'POST',
        body: bodyOf(values, ['overlap', 'reason']),
      });
      reload();
      return secretNote(minted);
    },
  };
}

function revokeForm(ask: AskApi, { id, label }: KeyRow, reload: () => void): ActionForm {
  return {
    title: `Revoke ${id}`,
    text: html`<p>
      The key of <b>${label}</b> ends for good, everywhere within a second. This cannot be undone.
    </p>`,
    verb: 'Revoke key',
    isDangerous: true,
    fields: [reasonField(true)],
    async run(values) {
      await ask(`keys/${id}/revoke`, { method: 'POST', body: bodyOf(values, ['reason']) });
      reload();
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
  return dataTable({
    ...{ id: 'keys', label: 'keys', order: 'label', rows: keys },
    keyOf: ({ id }) => id,
    textOf: ({ id, label, state, tier, permissions }) =>
      `${id} ${label} ${state} ${tier} ${permissions.join(' ')}`,
    columns: [
      {
        key: 'label',
        title: 'Whose',
        cell: ({ id, label }) => html`<b>${label === '' ? id : label}</b> <small><code>${id}</code></small>`,
        sort: ({ label, id }) => `${label} ${id}`,
      },
      {
        key: 'state',
        title: 'State',
        cell: ({ state }) => stateMark(stateTone[state], state),
        sort: ({ state }) => state,
      },
      {
        key: 'permissions',
        title: 'May read',
        cell: ({ permissions, operations }) =>
          html`${permissions.join(', ')}${operations === undefined ? '' : html`<small> only ${operations.join(', ')}</small>`}`,
      },
      { key: 'tier', title: 'Tier', cell: ({ tier }) => tier, sort: ({ tier }) => tier },
      { key: 'addresses', title: 'From', cell: ({ addresses }) => addresses?.join(', ') ?? 'anywhere' },
      {
        key: 'expires',
        title: 'Ends',
        isFigure: true,
        cell: (key) =>
          key.revokedAt
            ? timeMark(key.revokedAt, now)
            : key.expiresAt
              ? html`<span title=${key.expiresAt}>${agoText(key.expiresAt, now)}</span>`
              : 'never',
        sort: ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt,
      },
      {
        key: 'used',
        title: 'Last used',
        isFigure: true,
        cell: ({ lastUsedAt }) => timeMark(lastUsedAt, now),
        sort: ({ lastUsedAt }) => lastUsedAt,
      },
      ...(actions === undefined ? [] : [{ key: 'do', title: 'Change', cell: buttons }]),
    ],
    empty: 'There is no key in Redis. Keys of the configuration file are not listed here.',
  });
}

/** The API keys in Redis; an operator makes, rotates and revokes them. */
export function KeysSection(): VNode {
  const { ask, canWrite, now } = useConsole();
  const { value, problem, reload } = useLoad<KeyList>('keys');
  const [form, setForm] = useState<ActionForm>();
  const actions = canWrite
    ? {
        rotate: (key: KeyRow) => setForm(rotateForm(ask, key, reload)),
        revoke: (key: KeyRow) => setForm(revokeForm(ask, key, reload)),
      }
    : undefined;
  // Without Redis there are no keys to list or make: that is a way to run it, and no failure.
  const isEmbedded = problem?.code === 'conflict';
  const create = () => setForm(createForm(ask, reload));
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
