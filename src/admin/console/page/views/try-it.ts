// The view in which people try a query: how it would be answered, and, for operators, what the source answers now.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiProblem } from '../data/api.ts';
import type { ExplainAnswer } from '../../../api/explain-schema.ts';
import { goTo, useConsole } from '../data/console-context.ts';
import { toApiProblem } from '../data/use-load.ts';
import { formValues } from '../parts/action-dialog.ts';
import { dataTable, fieldColumn } from '../parts/data-table.ts';
import { html } from '../parts/html.ts';
import { emptyNote, factList, problemNote, cardOf, sourceLink, stateMark, viewHead } from '../parts/marks.ts';
import { addressOf } from '../show/address.ts';
import { statusTone } from '../show/tones.ts';
import { countText, durationText, valueText, UNKNOWN } from '../show/units.ts';

type LiveAnswer = NonNullable<ExplainAnswer['live']>;

const placeText = ({ claim, file, line }: LiveAnswer['contradicted'][number]) =>
  html`<li key=${`${claim} ${file} ${line ?? ''}`}>
    ${claim} <code>${file}${line === undefined ? '' : `:${line}`}</code>
  </li>`;

/** A JSON text with line breaks; any other text as it is. */
function prettyText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function planOf({
  plan,
  question,
  source,
  permission,
  budget,
  freshSeconds,
  sentTo,
  refused,
  inForce,
}: ExplainAnswer): VNode {
  const facts = factList([
    ['Asked', question],
    ['Permission', permission === null ? 'none: it is public' : permission],
    ['Source', source && html`${sourceLink(source.name)} <code>${source.file}</code>`],
    ['Plan', plan && stateMark(plan.kind === 'scan' ? 'warn' : 'good', plan.kind)],
    ['Why', plan?.reason],
    ['Calls at most', plan && countText(plan.callsMax)],
    ['The gateway does', plan?.gatewaySteps.join('; ')],
    [
      'A scan may cost',
      plan?.kind === 'scan' && budget
        ? `${countText(budget.calls)} calls, ${countText(budget.rows)} rows, ${durationText(budget.timeMs)}; beyond: ${budget.beyond}`
        : '',
    ],
    ['Served again for', freshSeconds === undefined ? '' : `${freshSeconds} s`],
    ['Sent to', sentTo?.join(', ')],
    [
      'Configuration',
      html`<a href=${addressOf('config')}>rev ${inForce.rev}</a>
        <code title=${inForce.digest}>${inForce.digest.slice(0, 12)}</code>`,
    ],
    ['Refused', refused && `${refused.status} ${refused.code}: ${refused.because}`],
  ]);
  return html`<div>
    ${facts}
    ${
      plan &&
      plan.calls.length > 0 &&
      html`<h3>Calls</h3>
        <ol class="calls">
          ${plan.calls.map(({ method, url, body }, index) => html`<li key=${index}><code>${method} ${url}</code>${body && html`<pre tabindex="0">${body}</pre>`}</li>`)}
        </ol>`
    }
    ${
      plan &&
      plan.dependsOn.length > 0 &&
      html`<h3>Depends on</h3>
        <ul class="plain">
          ${plan.dependsOn.map(placeText)}
        </ul>`
    }
  </div>`;
}

function recordTable(record: NonNullable<LiveAnswer['record']>): VNode {
  return dataTable<NonNullable<LiveAnswer['record']>[number]>({
    ...{ id: 'record', label: 'fields of the first record', order: 'field', rows: record },
    keyOf: ({ field }) => field,
    columns: [
      fieldColumn('field', 'Field'),
      {
        key: 'from',
        title: 'From',
        cell: ({ from, line }) =>
          html`<code>${from.join(', ')}</code>${line === undefined ? '' : ` line ${line}`}`,
      },
      fieldColumn('state', 'Read'),
      { key: 'value', title: 'Value', cell: ({ value }) => html`<code>${valueText(value)}</code>` },
    ],
    empty: 'There is no record.',
  });
}

/** Which rule of the file decided what the reply of a call means. */
function ruleText({ outcome }: LiveAnswer['calls'][number]): string {
  if (outcome === undefined) return '';
  if (outcome === null) return ', no outcome rule fits';
  const { is, file, line } = outcome;
  return `, ${is} by ${file}${line === undefined ? '' : `:${line}`}`;
}

function liveOf({ answer, calls, contradicted, missingValues, record }: LiveAnswer): VNode {
  const missing = Object.entries(missingValues).map(([field, count]) => `${field} ${countText(count)}`);
  return html`<div>
    ${factList([
      [
        'Status',
        stateMark(
          statusTone(answer.status),
          `${answer.status}${answer.code === undefined ? '' : ` ${answer.code}`}`,
        ),
      ],
      ['Detail', answer.detail],
      ['Records', answer.records === undefined ? '' : countText(answer.records)],
      ['Total', answer.total === undefined ? '' : countText(answer.total)],
      ['Missing values', missing.join(', ')],
    ])}
    <h3>Calls that were made</h3>
    <ol class="calls">
      ${calls.map(
        (call, index) =>
          html`<li key=${index}>
            <code>${call.method} ${call.url}</code>
            <small class="num"
              >${call.status ?? UNKNOWN},
              ${durationText(call.ms)}${ruleText(call)}${call.rows === undefined ? '' : `, ${countText(call.rows)} rows`}${call.problem === undefined ? '' : `, ${call.problem}`}</small
            >
          </li>`,
      )}
    </ol>
    ${
      contradicted.length > 0 &&
      html`<h3>Contradicted</h3>
        <ul class="plain">
          ${contradicted.map(placeText)}
        </ul>`
    }
    ${
      record &&
      html`<h3>The first record</h3>
        ${recordTable(record)}`
    }
  </div>`;
}

function answerOf({ live, mistake }: ExplainAnswer, canWrite: boolean): VNode {
  if (mistake !== undefined)
    return html`<div>
      ${stateMark('info', `${mistake.status} for the client`)}
      <pre tabindex="0">${prettyText(mistake.body)}</pre>
    </div>`;
  if (live !== undefined) return liveOf(live);
  return emptyNote(
    canWrite
      ? 'The source was not asked. Switch on “Ask the source” to see its answer; values of records are masked.'
      : 'The source was not asked: that takes the role of an operator.',
  );
}

type Outcome = {
  readonly value?: ExplainAnswer;
  readonly problem?: ApiProblem;
  readonly isRunning?: boolean;
};

/** The view that explains a query: its plan, and the answer. Only an operator may have the source asked. */
export function TryView(): VNode {
  const { ask, address, canWrite } = useConsole();
  const asked = address.query['q'] ?? '';
  const [outcome, setOutcome] = useState<Outcome>({});
  // The query that a click has just sent to the source. The change of the address must not replace its answer by a plan.
  const askedLive = useRef('');
  const explain = (request: string, live: boolean) => {
    setOutcome((old) => ({ ...old, isRunning: true }));
    const body = { request, ...(live && { live: true, reason: 'tried in the console' }) };
    ask<ExplainAnswer>('explain', { method: 'POST', body }).then(
      (value) => setOutcome({ value }),
      (error: unknown) => setOutcome({ problem: toApiProblem(error) }),
    );
  };
  useEffect(() => {
    if (asked !== '' && askedLive.current !== asked) explain(asked, false);
    askedLive.current = '';
  }, [asked]);
  const submit = (event: Event) => {
    event.preventDefault();
    const { q = '', live } = formValues(event.target as HTMLFormElement);
    const isSame = q === asked;
    if (!isSame && live === 'true') askedLive.current = q;
    if (!isSame) goTo(addressOf('try', '', { q }));
    // The address alone explains; asking the source needs the click.
    if (isSame || live === 'true') explain(q, live === 'true');
  };
  const { value, problem, isRunning = false } = outcome;
  return html`<div>
    ${viewHead('Try it', 'What becomes of a request: its plan and what that costs, beside the answer of the source.')}
    <form class="try" onSubmit=${submit}>
      <label
        >Request<input
          type="search"
          name="q"
          key=${asked}
          defaultValue=${asked}
          required
          autocomplete="off"
          spellcheck=${false}
      /></label>
      ${canWrite && html`<label class="check"><input type="checkbox" name="live" value="true" /> Ask the source (audited)</label>`}
      <button type="submit" class="primary" disabled=${isRunning}>Explain</button>
    </form>
    ${problemNote(problem)}
    ${
      value === undefined
        ? problem
          ? null
          : emptyNote('Type the path of a request of the public API, with its query, and press Enter.')
        : html`<div class="columns">
            ${cardOf('Plan', html`<code>${value.request}</code> is ${value.operation}`, planOf(value))}
            ${cardOf('Answer', '', answerOf(value, canWrite))}
          </div>`
    }
  </div>`;
}
