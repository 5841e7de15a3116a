// The view of one request: where its time went, its error and its plan.

import type { VNode } from 'preact';
import { waterfall } from '../charts/waterfall.ts';
import type { RequestDetail } from '../../../api/request-action-specs.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { element, html } from '../parts/html.ts';
import { cardOf, emptyNote, factList, loadedPart, sourceLink, viewHead } from '../parts/marks.ts';
import { RunbookLink } from '../parts/runbook-dialog.ts';
import { addressOf } from '../show/address.ts';
import { instantText } from '../show/times.ts';
import { countText, durationText } from '../show/units.ts';
import { callsText, statusMark } from './requests.ts';

/** Where most of the time went, in a sentence. */
function longest({ timings, durationMs }: RequestDetail): string {
  const most = timings.toSorted((a, b) => b.ms - a.ms)[0];
  if (most === undefined || durationMs <= 0) return '';
  return `Most of it, ${durationText(most.ms)}, was ${most.name}${most.detail === undefined ? '' : ` (${most.detail})`}.`;
}

function errorSection({ error }: RequestDetail): VNode | null {
  if (error === undefined) return null;
  const { code, reason, detail, cause, entry } = error;
  const facts = [
    ['Code', html`<code>${code}</code>`],
    ['Reason', reason],
    ['Detail', detail],
    ['Cause', cause],
    ['What to do', element(RunbookLink, { entry })],
  ] as const;
  return cardOf('Why it failed', '', factList(facts));
}

function planSection({ plan }: RequestDetail): VNode | null {
  if (plan === undefined) return null;
  const { kind, dependsOn, why } = plan;
  return cardOf(
    'How it was read',
    '',
    factList([
      ['Plan', kind],
      ['Why', why],
      ['Depends on', dependsOn?.join(', ')],
    ]),
  );
}

function detailsOf(trace: RequestDetail): VNode {
  const { method, operation, caller, source, cache, requestId, traceId, clientRequestId } = trace;
  return html`<div>
    <div class="columns">
      ${cardOf(
        'What it was',
        '',
        factList([
          ['Status', statusMark(trace)],
          ['Operation', `${method} ${operation}`],
          ['Took', durationText(trace.durationMs)],
          ['At the source', `${durationText(trace.upstreamMs)} in ${callsText(trace)}`],
          ['Source', source && sourceLink(source)],
          [
            'Caller',
            caller && html`<a href=${addressOf('requests', '', { caller, status: 'all' })}>${caller}</a>`,
          ],
          ['Cache', cache],
          ['Came', instantText(trace.at)],
          ['Process', trace.process],
          ['Request id', html`<code>${requestId}</code>`],
          ["The caller's id", clientRequestId && html`<code>${clientRequestId}</code>`],
          ['Trace id', traceId && html`<code>${traceId}</code>`],
        ]),
      )}
      <div>${errorSection(trace)}${planSection(trace)}</div>
    </div>
    ${cardOf(
      'Where its time went',
      `${durationText(trace.durationMs)} in all. ${longest(trace)}`,
      trace.timings.length === 0
        ? emptyNote('No timing of it was kept.')
        : html`${waterfall(trace.timings, trace.durationMs)}
          ${trace.timingsLeftOut > 0 && html`<p class="note">${countText(trace.timingsLeftOut)} more timings were not kept.</p>`}`,
    )}
  </div>`;
}

/** The view of one request with its timings, found by its own id or the id of its distributed trace. */
export function RequestTraceView(): VNode {
  const { address } = useConsole();
  const request = useLoad<RequestDetail>(`requests/${encodeURIComponent(address.param)}`);
  const back = html`<a href=${addressOf('requests')}>All requests</a>`;
  return html`<div>
    ${viewHead('Request trace', html`<code>${address.param}</code>`, back)} ${loadedPart(request, detailsOf)}
  </div>`;
}
