// The facts of one incident, as the overview and the page of the incident show them: what, why, since when, for whom.

import type { VNode } from 'preact';
import type { IncidentView } from '../../../api/incident-specs.ts';
import type { Overview } from '../../../api/metric-specs.ts';
import { type Children, element, html } from '../parts/html.ts';
import { factList } from '../parts/marks.ts';
import { RunbookLink } from '../parts/runbook-dialog.ts';
import { addressOf, isOwnAddress } from '../show/address.ts';
import { agoText, clockText, instantText } from '../show/times.ts';
import { countText, shareText, spanText } from '../show/units.ts';

/** A condition that needs attention. */
export type AttentionItem = Overview['attention'][number];

const countedText = ({ failed, total, share }: IncidentView['answers'], how = 'failed') =>
  `${countText(failed)} of ${countText(total)} ${how} (${shareText(share)})`;

/** How many answers failed; or were slow, or lack a value, where that is what is wrong. */
function answersText({ kind, answers }: IncidentView): string {
  const { failed, flawed } = answers;
  const failures = failed === 0 ? 'none failed' : countedText(answers);
  if (flawed === undefined) return failures;
  return `${failures}; ${countedText(flawed, kind === 'slow' ? 'slow' : 'lack the value')}`;
}

function timesText({ since, last, state, worsenedAt, firstAt, reopened }: IncidentView, at: string): string {
  const until = state === 'open' ? at : last;
  const lasts = `${instantText(since)}, for ${spanText(Date.parse(until) - Date.parse(since))}`;
  const worse = worsenedAt === undefined ? '' : `; worse since ${clockText(worsenedAt)}`;
  const first =
    firstAt === undefined
      ? ''
      : `; first at ${instantText(firstAt)}, reopened ${countText(reopened)} ${reopened === 1 ? 'time' : 'times'}`;
  return `${lasts}${worse}${first}`;
}

/** Things with their counts, each with a link to its requests if these are kept. */
function countedLinks(
  incident: IncidentView,
  things: readonly {
    readonly key: string;
    readonly text: string;
    readonly filter: object;
    readonly failed: number;
  }[],
): Children {
  const { requestFilter: filter } = incident;
  return things.map(({ key, text, filter: own, failed }) => {
    const name =
      filter === undefined
        ? text
        : html`<a href=${addressOf('requests', '', { ...filter, ...own })}>${text}</a>`;
    return html`<span key=${key} class="part">${name}${` ${countText(failed)}`}</span>`;
  });
}

function callersCell(incident: IncidentView): Children {
  const { kind, callers, moreCallers, unknownCallers, affected, answers } = incident;
  if (callers.length === 0)
    return affected ?? (answers.failed === 0 ? 'none got a failed answer' : 'not known');
  const things = callers.map(({ id, label, failed }) => ({
    ...{ key: id, text: label ?? id, filter: { caller: id }, failed },
  }));
  const more =
    moreCallers.failed > 0 &&
    html`<span class="part">${moreCallers.callers || 'some'} more ${countText(moreCallers.failed)}</span>`;
  const unknown =
    unknownCallers !== undefined &&
    html`<span class="part">callers that are not known ${countText(unknownCallers)}</span>`;
  const whose = html`${countedLinks(incident, things)}${more}${unknown}`;
  return kind === 'field' ? html`${affected}: ${whose}` : whose;
}

const listOf = (texts: readonly Children[]): VNode =>
  html`<ul class="plain">
    ${texts.map((text, index) => html`<li key=${index}>${text}</li>`)}
  </ul>`;

const runCell = ({ cause, since, until, failed }: NonNullable<IncidentView['runs']>[number], how: string) => {
  const said = `: ${cause}, ${countText(failed)} ${how}`;
  return html`<time class="num" title=${instantText(since)}>${clockText(since)}</time>${' to '}<time
      class="num"
      title=${instantText(until)}
      >${clockText(until)}</time
    >${said}`;
};

const auditLink = (since: string) =>
  html`<a href=${addressOf('audit', '', { at: since.slice(0, 16) })}>Audit of that time</a>`;

function beforeCell({ before: { changes, problem }, since }: IncidentView): Children {
  const told = changes.map(
    ({ at, what, by }) =>
      html`<time class="num" title=${instantText(at)}>${clockText(at)}</time> ${what} <small>${by}</small>`,
  );
  if (problem !== undefined) return listOf([...told, problem]);
  if (told.length === 0) return 'nothing in the 15 minutes before';
  return html`${listOf(told)}${auditLink(since)}`;
}

function todoCell({
  line,
  entry,
  view = '',
  command,
}: Pick<IncidentView['todo'], 'line' | 'command'> & Pick<AttentionItem, 'entry' | 'view'>): Children {
  return html`${line}
    <span class="links"
      >${isOwnAddress(view) && html`<a href=${view}>Look<span class="hidden"> at what is wrong</span></a>`}${entry !== undefined && element(RunbookLink, { entry })}<code
        >${command}</code
      ></span
    >`;
}

/** Why an open incident is not over, and when it will be if nothing fails any more. */
function openText({ last, isQuiet }: IncidentView, now: number): string {
  const soon = isQuiet === true ? ', nothing since; it ends a minute after it' : '';
  return `no: last seen ${agoText(last, now)}${soon}`;
}

/** The facts of an incident: what, why, since when, who is affected, what to do. `at`: when the gateway answered. */
export function incidentFacts(incident: IncidentView, at: string): VNode {
  const { runs, calls, operations, hosts, next, state, last, faultText } = incident;
  const notSent = calls === undefined || calls.notSent === 0 ? '' : `; ${countText(calls.notSent)} not sent`;
  const requests = operations.map(({ name, failed }) => ({
    ...{ key: name, text: name, filter: { operation: name }, failed },
  }));
  const isOpen = state === 'open';
  const how = incident.kind === 'slow' ? 'slow' : calls === undefined ? 'affected' : 'failed';
  return factList([
    ['Since', timesText(incident, at)],
    ['Runs', runs && listOf(runs.map((run) => runCell(run, how)))],
    ['Whose fault', faultText],
    ['Calls', calls && `${countedText(calls, how)}${notSent}`],
    ['Answers', answersText(incident)],
    [how === 'slow' ? 'Whose slow or failed answers' : 'Whose answers', callersCell(incident)],
    ['Which requests', requests.length === 0 ? 'none failed' : countedLinks(incident, requests)],
    [
      'Hosts',
      hosts.length === 0
        ? ''
        : listOf(
            hosts.map((one) => `${one.host}: ${countText(one.failed)} of ${countText(one.total)} ${how}`),
          ),
    ],
    ['Changed before', beforeCell(incident)],
    ['By itself', next.length > 0 ? listOf(next) : isOpen ? 'nothing' : ''],
    ['What to do', todoCell(incident.todo)],
    ['Over?', isOpen ? openText(incident, Date.parse(at)) : `yes, since ${instantText(last)}`],
  ]);
}

/** The facts of a condition that says what is to do, in the form of an incident. */
export function attentionFacts(
  { since, next = [], entry, view }: AttentionItem,
  todo: NonNullable<AttentionItem['todo']>,
): VNode {
  return factList([
    ['Since', since === undefined ? '' : instantText(since)],
    ['Changed before', since === undefined ? '' : auditLink(since)],
    ['By itself', listOf(next)],
    ['What to do', todoCell({ ...todo, entry, view })],
  ]);
}

/** What else is wrong because of an incident, folded where it is one of several. */
export function effectsPart({ effects }: IncidentView, isUnfolded: boolean): VNode | null {
  if (effects.length === 0) return null;
  return html`<details open=${isUnfolded}>
    <summary>${effects.length === 1 ? '1 effect' : `${effects.length} effects`}</summary>
    ${listOf(effects.map(({ text }) => text))}
  </details>`;
}
