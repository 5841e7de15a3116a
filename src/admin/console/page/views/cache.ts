// The view of the cache: what it answered, and the form that purges it.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { CacheDetail, CachePurge, NamedCounts } from '../../../api/metric-specs.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import {
  actionDialog,
  type ActionForm,
  type ChangeDeps,
  reasonField,
  sendChange,
} from '../parts/action-dialog.ts';
import { dataTable, fieldColumn, numberColumn, type TableColumn } from '../parts/data-table.ts';
import { html } from '../parts/html.ts';
import { cardOf, loadedPart, statTiles, viewHead } from '../parts/marks.ts';
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
  const lastHour = (name: string) => (row: Row) => row.results[name]?.lastHour ?? 0;
  return resultNames(rows).map((name) =>
    numberColumn(name, name, lastHour(name), (count, { results }) => {
      return html`${countText(count)} <small>${countText(results[name]?.total ?? 0)} in all</small>`;
    }),
  );
}

function operationsTable({ operations }: CacheDetail): VNode {
  return dataTable<CacheDetail['operations'][number]>({
    ...{ id: 'operations', label: 'operations', order: '-share', rows: operations },
    keyOf: ({ operation }) => operation,
    textOf: ({ operation }) => operation,
    columns: [
      fieldColumn('operation', 'Operation'),
      numberColumn('share', 'Hits', ({ hitShare }) => hitShare, shareText),
      ...resultColumns(operations),
    ],
    empty: 'No operation was asked for yet.',
  });
}

function levelsTable({ levels }: CacheDetail): VNode {
  return dataTable<CacheDetail['levels'][number]>({
    ...{ id: 'levels', label: 'levels', order: 'level', rows: levels },
    keyOf: ({ level }) => level,
    columns: [fieldColumn('level', 'Level'), ...resultColumns(levels)],
    empty: 'The cache was not asked yet.',
  });
}

function reachedText({ processes, answers, scanCaches }: NonNullable<CachePurge['reached']>): string {
  const where = `${countText(processes)} ${processes === 1 ? 'process' : 'processes'} of this gateway`;
  return `In the memory of ${where} were ${countText(answers)} answers and ${countText(scanCaches)} scan caches with it.`;
}

function purgeForm(deps: ChangeDeps): ActionForm {
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
        hint: 'The name of a resource, one record of it (name:42), or * for everything.',
      },
      reasonField(false),
    ],
    async run(values) {
      const { purged, reached } = await sendChange<CachePurge>(deps, 'cache/purge', values);
      return html`<p>
        Purged <code>${purged}</code>. ${reached && reachedText(reached)} What is in Redis alone is purged,
        too.
      </p>`;
    },
  };
}

function sections(detail: CacheDetail): VNode {
  const { bytes, bytesMax, entries } = detail.local;
  const note = `of ${bytesText(bytesMax)} over the processes`;
  return html`<div>
    ${statTiles([
      { name: 'In memory', value: bytesText(bytes), note },
      { name: 'Entries in memory', value: countText(entries) },
    ])}
    ${cardOf('By operation', '“none” did not ask the cache.', operationsTable(detail))}
    ${cardOf('By level', 'Look-ups and writes of each level.', levelsTable(detail))}
  </div>`;
}

/** The view of the cache: what it answered, and the form that purges it. */
export function CacheView(): VNode {
  const { ask, canWrite, now, overview } = useConsole();
  const cache = useLoad<CacheDetail>('cache', 5_000);
  const { value, reload } = cache;
  const [form, setForm] = useState<ActionForm>();
  const button = html`<button
    type="button"
    class="danger"
    onClick=${() => setForm(purgeForm({ ask, reload }))}
  >
    Purge by tag
  </button>`;
  const ofWhom =
    value === undefined
      ? ''
      : `${scopeText(value.scope, value.since, overview?.processes, now)}. Numbers are of the last hour; “in all” is since the start.`;
  return html`<div>
    ${viewHead('Cache', ofWhom, canWrite ? button : null)} ${loadedPart(cache, sections, 6)}
    ${actionDialog(form, () => setForm(undefined))}
  </div>`;
}
