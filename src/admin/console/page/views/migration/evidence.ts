import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { DifferenceList, MigrationStatus } from '../../../../api/migration-schemas.ts';
import { sampleText } from '../../show/migration-texts.ts';
import { useConsole } from '../../data/console-context.ts';
import { useLoad } from '../../data/use-load.ts';
import { actionDialog, type ActionForm } from '../../parts/action-dialog.ts';
import { dataTable, figureColumn, textColumn } from '../../parts/data-table.ts';
import { html } from '../../parts/html.ts';
import { problemNote, cardOf, stateMark, timeMark } from '../../parts/marks.ts';
import { countText, durationText, shareText } from '../../show/units.ts';
import { ignoreForm, rulesTable, unignoreForm } from './rules.ts';

type ComparedOperation = MigrationStatus['compare'][string];

type DiffRow = DifferenceList['differences'][number];

type GateRow = MigrationStatus['gate']['unmet'][number];

/** Every condition of the next step: what there is, what is needed, and whether that is enough. */
export function gateTable({ unmet, met }: MigrationStatus['gate']): VNode {
  const rows = [
    ...unmet.map((row) => ({ ...row, isMet: false })),
    ...met.map((row) => ({ ...row, isMet: true })),
  ];
  type Checked = GateRow & { readonly isMet: boolean };
  return dataTable<Checked>({
    ...{ id: 'gate', label: 'conditions of the gate', order: 'met', rows },
    keyOf: ({ id, operation }) => `${id} ${operation ?? ''}`,
    textOf: ({ id, operation, have, need }) => `${id} ${operation ?? ''} ${have} ${need}`,
    columns: [
      {
        key: 'id',
        title: 'Condition',
        cell: ({ id, operation }) => html`<b>${id}</b> <small>${operation ?? 'of the resource'}</small>`,
        sort: ({ id }) => id,
      },
      {
        key: 'met',
        title: 'State',
        cell: ({ isMet }) => (isMet ? stateMark('good', 'met') : stateMark('warn', 'not yet')),
        sort: ({ isMet }) => Number(isMet),
      },
      { key: 'have', title: 'Have', isFigure: true, cell: ({ have }) => String(have) },
      { key: 'need', title: 'Need', isFigure: true, cell: ({ need }) => String(need) },
    ],
    empty: 'There is no further step.',
  });
}

type CompareRow = ComparedOperation & { readonly operation: string };

/** What was compared, by operation; the CUSUM is the judge's. */
export function compareTable(compare: MigrationStatus['compare']): VNode {
  const rows = Object.entries(compare).map(([operation, one]) => ({ ...one, operation }));
  const count = (key: string, title: string, of: (row: CompareRow) => number) =>
    figureColumn(key, title, of, countText);
  return dataTable<CompareRow>({
    ...{ id: 'compare', label: 'compared operations', order: '-mismatch', rows },
    keyOf: ({ operation }) => operation,
    toneOf: ({ mismatch }) => (mismatch > 0 ? 'row-warn' : ''),
    columns: [
      textColumn('operation', 'Operation', ({ operation }) => operation),
      count('keys', 'Questions', ({ keys }) => keys),
      count('match', 'Same', ({ match }) => match),
      count('mismatch', 'Different', ({ mismatch }) => mismatch),
      count('transient', 'Differed once', ({ transient }) => transient),
      count('given', 'of these given', ({ given }) => given),
      count('inconclusive', 'Inconclusive', ({ inconclusive }) => inconclusive),
      count('ignored', 'Ignored', ({ ignored }) => ignored),
      count('failedNew', 'New failed', ({ failedNew }) => failedNew),
      count('odd', 'Odd', ({ odd }) => odd),
      figureColumn('bound', 'Differ at most', ({ bound95 }) => bound95, shareText),
      figureColumn(
        'cusum',
        'Judge',
        ({ cusum }) => cusum,
        (cusum) => stateMark(cusum >= 9.2 ? 'bad' : cusum >= 4.6 ? 'warn' : 'good', cusum.toFixed(2)),
      ),
      figureColumn('lag', 'Lag, p99', ({ lagP99Ms }) => lagP99Ms, durationText),
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
      {
        key: 'path',
        title: 'Path',
        cell: ({ path, operation }) => html`<code>${path}</code> <small>${operation}</small>`,
        sort: ({ path }) => path,
      },
      {
        key: 'kind',
        title: 'Kind',
        cell: ({ kind, hint, ignored }) =>
          html`${kind}${hint === undefined ? '' : html` <small>${hint}</small>`}
          ${ignored ? stateMark('idle', 'ignored') : ''}`,
        sort: ({ kind }) => kind,
      },
      figureColumn('count', 'Times', ({ count }) => count, countText),
      figureColumn(
        'last',
        'Last',
        ({ lastAt }) => lastAt,
        (at) => timeMark(at, now),
      ),
      { key: 'samples', title: 'Shapes', cell: samplesCell },
      ...(ignore === undefined
        ? []
        : [
            {
              key: 'do',
              title: 'Change',
              cell: (row: DiffRow) =>
                row.ignored
                  ? ''
                  : html`<button type="button" onClick=${() => ignore(row)}>
                      Let not count<span class="hidden"> ${row.path} ${row.hint ?? ''}</span>
                    </button>`,
            },
          ]),
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
  const diffs = useLoad<{ differences: readonly DiffRow[] }>(
    `migrations/${encodeURIComponent(resource)}/diffs`,
    10_000,
  );
  const [form, setForm] = useState<ActionForm>();
  const deps = { ask, status, reload };
  const ignore = canWrite ? (row: Partial<DiffRow>) => setForm(ignoreForm(deps, row, now)) : undefined;
  const remove = canWrite
    ? (rule: MigrationStatus['rules'][number]) => setForm(unignoreForm(deps, rule))
    : undefined;
  const add =
    ignore &&
    html`<p class="row-actions"><button type="button" onClick=${() => ignore({})}>Add a rule</button></p>`;
  const { value, problem } = diffs;
  return html`<div>
    ${cardOf(
      'Differences',
      'By path, kind and hint. A record that one source lacks and a wrong total count once. Samples say types, lengths and keyed hashes, never values.',
      html`${problemNote(problem, diffs.reload)}${value && diffsTable(value.differences, now, ignore)}`,
    )}
    ${cardOf('Rules', RULES_NOTE, html`${rulesTable(status, now, remove)}${add}`)}
    ${actionDialog(form, () => setForm(undefined))}
  </div>`;
}
