import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AskApi } from '../data/api.ts';
import type { CacheDetail, NamedCounts } from '../../../api/figure-specs.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { actionDialog, type ActionForm, reasonField } from '../parts/action-dialog.ts';
import { type TableColumn, dataTable } from '../parts/data-table.ts';
import { html } from '../parts/html.ts';
import { figureRow, problemNote, cardOf, skeleton, viewHead } from '../parts/marks.ts';
import { scopeText } from '../show/times.ts';
import { bytesText, countText, shareText } from '../show/units.ts';

/** The names of all results that any row has, the usual ones first. */
function resultNames(rows: readonly { readonly results: NamedCounts }[]): readonly string[] {
  const usual = ['hit', 'stale', 'miss'];
  const found = new Set(rows.flatMap(({ results }) => Object.keys(results)));
  return [
    ...usual.filter((name) => found.has(name)),
    ...[...found].filter((name) => !usual.includes(name)).sort(),
  ];
}

function resultColumns<Row extends { readonly results: NamedCounts }>(
  rows: readonly Row[],
): readonly TableColumn<Row>[] {
  return resultNames(rows).map((name) => ({
    key: name,
    title: name,
    isFigure: true,
    cell: ({ results }) =>
      html`${countText(results[name]?.lastHour ?? 0)} <small>${countText(results[name]?.total ?? 0)}</small>`,
    sort: ({ results }) => results[name]?.lastHour ?? 0,
  }));
}

function operationsTable({ operations }: CacheDetail): VNode {
  return dataTable({
    ...{ id: 'operations', label: 'operations', order: '-share', rows: operations },
    keyOf: ({ operation }) => operation,
    textOf: ({ operation }) => operation,
    columns: [
      {
        key: 'operation',
        title: 'Operation',
        cell: ({ operation }) => operation,
        sort: ({ operation }) => operation,
      },
      {
        key: 'share',
        title: 'Hits',
        isFigure: true,
        cell: ({ hitShare }) => shareText(hitShare),
        sort: ({ hitShare }) => hitShare,
      },
      ...resultColumns(operations),
    ],
    empty: 'No operation was asked for yet.',
  });
}

function levelsTable({ levels }: CacheDetail): VNode {
  return dataTable({
    ...{ id: 'levels', label: 'levels', order: 'level', rows: levels },
    keyOf: ({ level }) => level,
    columns: [
      { key: 'level', title: 'Level', cell: ({ level }) => level, sort: ({ level }) => level },
      ...resultColumns(levels),
    ],
    empty: 'The cache was not asked yet.',
  });
}

type Reached = { readonly processes: number; readonly answers: number; readonly scanCaches: number };

type Purged = { readonly purged: string; readonly reached?: Reached };

function reachedText({ processes, answers, scanCaches }: Reached): string {
  const where = `${countText(processes)} ${processes === 1 ? 'process' : 'processes'} of this gateway`;
  return `In the memory of ${where} were ${countText(answers)} answers and ${countText(scanCaches)} scan caches with it.`;
}

function purgeForm(ask: AskApi, reload: () => void): ActionForm {
  return {
    title: 'Purge by tag',
    text: html`<p>
      Every process of the fleet forgets the answers and scan caches that carry the tag, within half a second.
      The sources are asked again.
    </p>`,
    verb: 'Purge',
    isDangerous: true,
    fields: [
      {
        name: 'tag',
        label: 'Tag',
        isNeeded: true,
        hint: 'A resource (users), one record (user:42), or * for everything.',
      },
      reasonField(false),
    ],
    async run({ tag = '', reason = '' }) {
      const body = { tag, ...(reason !== '' && { reason }) };
      const { purged, reached } = await ask<Purged>('cache/purge', { method: 'POST', body });
      reload();
      return html`<p>
        Purged <code>${purged}</code>. ${reached && reachedText(reached)} What is in Redis alone is purged,
        too.
      </p>`;
    },
  };
}

/** What the cache answered, and purging. */
export function CacheView(): VNode {
  const { ask, canWrite, now, overview } = useConsole();
  const { value, problem, reload } = useLoad<CacheDetail>('cache', 5_000);
  const [form, setForm] = useState<ActionForm>();
  const button = html`<button type="button" class="danger" onClick=${() => setForm(purgeForm(ask, reload))}>
    Purge by tag
  </button>`;
  const ofWhom =
    value === undefined
      ? ''
      : `${scopeText(value.scope, value.since, overview?.processes, now)}. Large figures are of the last hour, small ones of all the time.`;
  return html`<div>
    ${viewHead('Cache', ofWhom, canWrite ? button : null)} ${problemNote(problem, reload)}
    ${
      value === undefined
        ? problem
          ? null
          : skeleton(6)
        : html`<div>
            ${figureRow([
              {
                name: 'In memory',
                value: bytesText(value.local.bytes),
                note: `of ${bytesText(value.local.bytesMax)} over the processes`,
              },
              { name: 'Entries in memory', value: countText(value.local.entries) },
            ])}
            ${cardOf('By operation', '“none” did not ask the cache.', operationsTable(value))}
            ${cardOf('By level', 'Look-ups and writes of each level.', levelsTable(value))}
          </div>`
    }
    ${actionDialog(form, () => setForm(undefined))}
  </div>`;
}
