// The tables in the view of a migration: conditions of the next step, what was compared, and what differs.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { DifferenceList, MigrationStatus } from '../../../../api/migration-schemas.ts';
import { sampleText } from '../../show/migration-texts.ts';
import { useConsole } from '../../data/console-context.ts';
import { useLoad } from '../../data/use-load.ts';
import { actionDialog, type ActionForm } from '../../parts/action-dialog.ts';
import {
  buttonColumn,
  dataTable,
  fieldColumn,
  numberColumn,
  textColumn,
  timeColumn,
} from '../../parts/data-table.ts';
import { html } from '../../parts/html.ts';
import { cardOf, loadedPart, stateMark } from '../../parts/marks.ts';
import { countText, durationText, shareText } from '../../show/units.ts';
import { ignoreForm, rulesTable, unignoreForm } from './rules.ts';

type DiffRow = DifferenceList['differences'][number];

/** Every condition of the next step: what it needs, what there is, and whether that is enough. */
export function gateTable({ unmet, met }: MigrationStatus['gate']): VNode {
  const rows = [
    ...unmet.map((row) => ({ ...row, isMet: false })),
    ...met.map((row) => ({ ...row, isMet: true })),
  ];
  return dataTable<(typeof rows)[number]>({
    ...{ id: 'gate', label: 'conditions of the gate', order: 'met', rows },
    keyOf: ({ id, operation }) => `${id} ${operation ?? ''}`,
    textOf: ({ id, operation, have, need }) => `${id} ${operation ?? ''} ${have} ${need}`,
    columns: [
      fieldColumn(
        'id',
        'Condition',
        ({ id, operation }) => html`<b>${id}</b> <small>${operation ?? 'of the resource'}</small>`,
      ),
      textColumn(
        'met',
        'State',
        ({ isMet }) => Number(isMet),
        ({ isMet }) => (isMet ? stateMark('good', 'met') : stateMark('warn', 'not yet')),
      ),
      { key: 'have', title: 'Have', isNumber: true, cell: ({ have }) => String(have) },
      { key: 'need', title: 'Need', isNumber: true, cell: ({ need }) => String(need) },
    ],
    empty: 'There is no further step.',
  });
}

type CompareRow = MigrationStatus['compare'][string] & { readonly operation: string };

/** What was compared, by operation. The CUSUM is the cumulative sum by which the judge decides on a rollback. */
export function compareTable(compare: MigrationStatus['compare']): VNode {
  const rows = Object.entries(compare).map(([operation, one]) => ({ ...one, operation }));
  const count = (key: string, title: string, of: (row: CompareRow) => number) =>
    numberColumn(key, title, of, countText);
  return dataTable<CompareRow>({
    ...{ id: 'compare', label: 'compared operations', order: '-mismatch', rows },
    keyOf: ({ operation }) => operation,
    toneOf: ({ mismatch }) => (mismatch > 0 ? 'row-warn' : ''),
    columns: [
      fieldColumn('operation', 'Operation'),
      count('keys', 'Questions', ({ keys }) => keys),
      count('match', 'Same', ({ match }) => match),
      count('mismatch', 'Different', ({ mismatch }) => mismatch),
      count('transient', 'Differed once', ({ transient }) => transient),
      count('given', 'of these given', ({ given }) => given),
      count('inconclusive', 'Inconclusive', ({ inconclusive }) => inconclusive),
      count('ignored', 'Ignored', ({ ignored }) => ignored),
      count('failedNew', 'New failed', ({ failedNew }) => failedNew),
      count('odd', 'Odd', ({ odd }) => odd),
      numberColumn('bound', 'Differ at most', ({ bound95 }) => bound95, shareText),
      numberColumn(
        'cusum',
        'Judge',
        ({ cusum }) => cusum,
        (cusum) => stateMark(cusum >= 9.2 ? 'bad' : cusum >= 4.6 ? 'warn' : 'good', cusum.toFixed(2)),
      ),
      numberColumn('lag', 'Lag, p99', ({ lagP99Ms }) => lagP99Ms, durationText),
    ],
    empty: 'Nothing was compared yet.',
  });
}

function samplesCell({ samples }: DiffRow): VNode | string {
  if (samples.length === 0) return '';
  return html`<details>
    <summary>${samples.length} ${samples.length === 1 ? 'sample' : 'samples'}</summary>
    <ul class="plain">
      ${samples.map((sample) => html`<li key=${sample.key}><code>${sample.key}</code> ${sampleText(sample.legacy)} → ${sampleText(sample.new)}${sample.traceId === undefined ? '' : html` <small>trace <code>${sample.traceId}</code></small>`}</li>`)}
    </ul>
  </details>`;
}

function diffsTable(
  rows: readonly DiffRow[],
  now: number,
  ignore: ((row: Partial<DiffRow>) => void) | undefined,
): VNode {
  return dataTable<DiffRow>({
    ...{ id: 'diffs', label: 'differences', order: '-count', rows },
    keyOf: ({ operation, path, kind, hint, ignored }) =>
      [operation, path, kind, hint, ignored].map(String).join(' '),
    textOf: ({ operation, path, kind, hint = '' }) => `${operation} ${path} ${kind} ${hint}`,
    columns: [
      fieldColumn(
        'path',
        'Path',
        ({ path, operation }) => html`<code>${path}</code> <small>${operation}</small>`,
      ),
      fieldColumn(
        'kind',
        'Kind',
        ({ kind, hint, ignored }) =>
          html`${kind}${hint === undefined ? '' : html` <small>${hint}</small>`}
          ${ignored ? stateMark('idle', 'ignored') : ''}`,
      ),
      numberColumn('count', 'Times', ({ count }) => count, countText),
      timeColumn('lastAt', 'Last', now),
      { key: 'samples', title: 'Shapes', cell: samplesCell },
      ...buttonColumn<DiffRow>(
        'Let not count',
        ({ ignored, path, hint = '' }) => (ignored ? undefined : `${path} ${hint}`),
        ignore,
      ),
    ],
    empty: 'No difference was found.',
  });
}

const RULES_NOTE =
  'Differences that do not count until a day, besides those of the file. Rules that tolerate a difference up to a bound are made in the file alone, under compare.tolerate.';

/** The differences by path, kind and hint, with samples that hold no value, and the rules by which some do not count. */
export function DiffsSection({ status, reload }: { status: MigrationStatus; reload: () => void }): VNode {
  const { ask, canWrite, now } = useConsole();
  const { resource } = status;
  const diffs = useLoad<DifferenceList>(`migrations/${encodeURIComponent(resource)}/diffs`, 10_000);
  const [form, setForm] = useState<ActionForm>();
  const deps = { ask, status, reload };
  const ignore = canWrite ? (row: Partial<DiffRow>) => setForm(ignoreForm(deps, row, now)) : undefined;
  const remove = canWrite
    ? (rule: MigrationStatus['rules'][number]) => setForm(unignoreForm(deps, rule))
    : undefined;
  const add =
    ignore &&
    html`<p class="row-actions"><button type="button" onClick=${() => ignore({})}>Add a rule</button></p>`;
  return html`<div>
    ${cardOf(
      'Differences',
      'By path, kind and hint. A record that one source lacks and a wrong total count once. Samples say types, lengths and keyed hashes, never values.',
      loadedPart(diffs, ({ differences }) => diffsTable(differences, now, ignore)),
    )}
    ${cardOf('Rules', RULES_NOTE, html`${rulesTable(status, now, remove)}${add}`)}
    ${actionDialog(form, () => setForm(undefined))}
  </div>`;
}
