// The view of the configuration in force: which processes serve it, its last change, and the reloads before.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ConfigDetail } from '../../../api/config-action-specs.ts';
import { goTo, useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { actionDialog, type ActionForm } from '../parts/action-dialog.ts';
import { dataTable, fieldColumn, numberColumn } from '../parts/data-table.ts';
import { html } from '../parts/html.ts';
import {
  cardOf,
  choiceField,
  emptyNote,
  factList,
  loadedPart,
  stateMark,
  timeMark,
  viewHead,
} from '../parts/marks.ts';
import { pointField } from '../parts/point-field.ts';
import { addressOf, changedQuery } from '../show/address.ts';
import { pointText, readPoint } from '../show/points-in-time.ts';
import { scopeText, timeText } from '../show/times.ts';
import { changeList, changeSigns, checkForm, reloadForm } from './reload-forms.ts';

const digestMark = (digest: string) => html`<code title=${digest}>${digest.slice(0, 12)}</code>`;

function inForce(config: ConfigDetail, now: number): VNode {
  const { digest, rev, since, stale, processes, waitingFor } = config;
  const others = processes.filter((one) => one.digest !== digest);
  return html`<div>
    ${
      stale &&
      html`<div class="notice bad" role="alert">
        <p>
          <strong
            >The files were refused at ${timeMark(stale.since, now)}; an older configuration is in
            force.</strong
          >
        </p>
        <p>${stale.why}</p>
      </div>`
    }
    ${factList([
      ['Rev', String(rev)],
      ['Digest', digestMark(digest)],
      ['In force since', timeMark(since, now)],
      [
        'Processes',
        others.length === 0 && waitingFor === 0
          ? stateMark(
              'good',
              processes.length === 1 ? 'its one process has it' : `all ${processes.length} have it`,
            )
          : stateMark('warn', `${others.length + waitingFor} do not have it`),
      ],
      [
        'Process ids',
        processes.map(
          ({ pid, digest: own }) =>
            html`<span key=${pid} class="num">${pid} <code>${own.slice(0, 8)}</code></span>`,
        ),
      ],
    ])}
  </div>`;
}

const outcomeTone = { started: 'good', applied: 'good', unchanged: 'idle', refused: 'bad' } as const;

function reloadsTable({ reloads }: ConfigDetail, now: number): VNode {
  return dataTable<ConfigDetail['reloads'][number]>({
    ...{ id: 'reloads', label: 'reloads', order: '-at', rows: reloads },
    keyOf: ({ at, rev }) => `${at} ${rev}`,
    toneOf: ({ outcome }) => (outcome === 'refused' ? 'row-warn' : ''),
    columns: [
      fieldColumn('at', 'When', ({ at }) => timeMark(at, now)),
      fieldColumn('by', 'Who'),
      fieldColumn('outcome', 'Outcome', ({ outcome }) => stateMark(outcomeTone[outcome], outcome)),
      numberColumn('rev', 'Rev', ({ rev }) => rev, String),
      { key: 'digest', title: 'Digest', cell: ({ digest }) => digestMark(digest) },
      {
        key: 'what',
        title: 'What',
        cell: ({ changes, problems = [] }) =>
          problems.length > 0
            ? problems.join('; ')
            : changes.map(({ path, kind }) => `${changeSigns[kind]} ${path}`).join(', '),
      },
    ],
    empty: 'It was not reloaded since the start.',
  });
}

/** What was in force at a point in time, and what has changed since. */
function inForceAt({ reloads, digest, since }: ConfigDetail, pointMs: number, now: number): VNode {
  const own = reloads.filter(({ outcome }) => outcome === 'started' || outcome === 'applied');
  const then = own.find(({ at }) => Date.parse(at) <= pointMs);
  const later = own.filter(({ at }) => Date.parse(at) > pointMs);
  if (then === undefined)
    return emptyNote(`This gateway did not run then, or the reload is no longer kept. The audit has it.`);
  const changes = later.flatMap((one) => one.changes);
  return html`<div>
    ${factList([
      ['Rev', String(then.rev)],
      ['Digest', digestMark(then.digest)],
      ['In force since', html`${timeMark(then.at, now)}, by ${then.by}`],
      [
        'Now',
        then.digest === digest
          ? stateMark('good', 'the same')
          : html`${stateMark('info', 'another')} since ${timeMark(since, now)}`,
      ],
    ])}
    ${later.length > 0 && changeList(changes, 'Nothing became different.')}
    <p class="note">
      <a href=${addressOf('audit', '', { at: pointText(pointMs) })}>Every change up to that time</a>
    </p>
  </div>`;
}

function filesPart(
  { files }: ConfigDetail,
  chosen: string | undefined,
  choose: (name: string) => void,
): VNode {
  const file = files.find(({ name }) => name === chosen) ?? files[0];
  if (file === undefined) return emptyNote('There is no file.');
  const lines = file.text.split('\n').map((line, index) => html`<span key=${index}>${`${line}\n`}</span>`);
  return html`<div>
    ${choiceField(
      'File',
      files.map(({ name }) => [name, name]),
      file.name,
      choose,
    )}
    <pre class="file" tabindex="0" aria-label=${`Text of ${file.name}`}>${lines}</pre>
  </div>`;
}

/** The view of the configuration in force: in which processes it is, its last change, and the reloads. */
export function ConfigView(): VNode {
  const { ask, canWrite, address, now } = useConsole();
  const config = useLoad<ConfigDetail>('config', 10_000);
  const { value, reload } = config;
  const [form, setForm] = useState<ActionForm>();
  const deps = { ask, reload, open: setForm };
  const buttons = html`<span class="row-actions">
    <button type="button" onClick=${() => setForm(checkForm(deps))}>Check the files</button>
    <button type="button" class="primary" onClick=${() => setForm(reloadForm(deps))}>Reload</button>
  </span>`;
  const pointMs = readPoint(address.query['at'], now);
  const point = pointField({ name: 'at', label: 'What was in force at (UTC)' });
  const choose = (file: string) => goTo(changedQuery(address, { file }), true);
  return html`<div>
    ${viewHead('Configuration', value === undefined ? '' : `${scopeText(value.scope, value.since, value.processes.length, now)}. Secrets are hidden; variables stand by their names. Times are UTC.`, html`${point}${canWrite ? buttons : null}`)}
    ${loadedPart(
      config,
      (detail) =>
        html`<div>
          ${pointMs !== undefined && cardOf(`In force at ${timeText(pointMs, now)}`, '', inForceAt(detail, pointMs, now))}
          <div class="columns">
            ${cardOf('In force', '', inForce(detail, now))}
            ${cardOf('The last change', 'What became different.', changeList(detail.lastChange, 'Nothing has changed since the start.'))}
          </div>
          ${cardOf('Reloads', 'The newest first.', reloadsTable(detail, now))}
          ${cardOf('Files', 'As they are in force.', filesPart(detail, address.query['file'], choose))}
        </div>`,
    )}
    ${actionDialog(form, () => setForm(undefined))}
  </div>`;
}
