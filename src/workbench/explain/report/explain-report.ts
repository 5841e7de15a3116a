// Reports how the gateway answers one request, for `portico explain`.

import { plural } from '../../../kernel/plural.ts';
import type { PlacedClaim } from '../explain-plan.ts';
import { placeText, type Report, type ReportBlock, section } from './report.ts';
import type { Explanation, ClientMistake } from '../explanation.ts';
import { MASK } from '../../../kernel/secret.ts';
import type { PassthroughExplanation } from '../explain-passthrough.ts';
import type { DisplayedCall } from '../../doctor/session/masked-source.ts';
import type { DisplayedField, DisplayedLive, DisplayedLiveCall } from '../display-live.ts';

/** Calls that are shown of many; the last one is shown too. */
const CALLS_SHOWN = 5;

const INDENT = '  ';

function claimLine(claim: PlacedClaim): string {
  return `${claim.claim}  ${placeText(claim)}`;
}

/** A call. Its headers are left out if the call before has the same ones. */
function callLines(
  { method, url, headers, body }: DisplayedCall,
  before: DisplayedCall | undefined,
): string[] {
  const isNew = JSON.stringify(headers) !== JSON.stringify(before?.headers);
  return [
    `${method} ${url}`,
    ...(isNew ? Object.entries(headers).map(([name, value]) => `${INDENT}${name}: ${value}`) : []),
    ...(body === undefined ? [] : body.split('\n').map((line) => `${INDENT}${line}`)),
  ];
}

const KINDS: Readonly<Record<Explanation['plan']['kind'], string>> = {
  page: 'a page straight from the source',
  scan: 'a scan',
  record: 'a single record',
  nothing: 'nothing to ask',
};

function planBlocks({ kind, reason, calls, callsMax }: Explanation['plan']): readonly ReportBlock[] {
  const lines = calls.flatMap((call, index) => callLines(call, calls[index - 1]));
  const more = callsMax > calls.length ? [`… ${plural(callsMax, 'call')} at most`] : [];
  return section(`Plan: ${KINDS[kind]}${reason === undefined ? '' : `: ${reason}`}`, [...lines, ...more]);
}

function callsLine({ method, url, status, ms, rows, outcome, problem }: DisplayedLiveCall): string {
  const rule =
    outcome === null ? 'no outcome rule fits' : outcome && `${outcome.is} by ${placeText(outcome)}`;
  const parts = [
    status === undefined ? 'no reply' : `HTTP ${status}`,
    `${ms} ms`,
    rows === undefined ? undefined : plural(rows, 'row'),
    rule,
    problem,
  ];
  return `${method} ${url}\n${INDENT}${parts.filter((part) => part !== undefined).join(', ')}`;
}

/** The first and the last of many lines. */
function abridged(lines: readonly string[]): readonly string[] {
  if (lines.length <= CALLS_SHOWN + 2) return lines;
  const hidden = lines.length - CALLS_SHOWN - 1;
  return [...lines.slice(0, CALLS_SHOWN), `… ${hidden} more`, ...lines.slice(-1)];
}

/** A value as it stands in JSON; a masked one without quotes. */
function valueText(value: unknown): string {
  if (value === undefined) return '';
  return value === MASK ? MASK : JSON.stringify(value);
}

/** The steps of a field; a step that changed the value is shown with the new value. */
function stepTexts({ found, steps }: DisplayedField): readonly string[] {
  return steps.map(({ step, value }, index) => {
    const before = index === 0 ? found : steps[index - 1]?.value;
    const made = valueText(value);
    return made === valueText(before) ? step : `${step} → ${made}`;
  });
}

function fieldLine(shown: DisplayedField, file: string): string {
  const { field, from, line, found, value, state } = shown;
  const end = state === 'known' ? '' : ` (${state})`;
  const origin = [[...from, valueText(found)].filter((text) => text !== '').join(' '), ...stepTexts(shown)];
  return `${field} = ${valueText(value)}${end} ← ${origin.join(' · ')}  ${placeText({ file, line })}`;
}

function answerText({ status, code, detail, total, records }: DisplayedLive['answer']): string {
  if (code !== undefined) return [`${status} ${code}`, detail].filter(Boolean).join(': ');
  return `${status}, ${plural(records ?? 0, 'record')}${total === undefined ? '' : ` of ${total}`}`;
}

function liveBlocks(live: DisplayedLive, { source }: Explanation): readonly ReportBlock[] {
  const nulls = Object.entries(live.missingValues).map(
    ([field, times]) => `${field}: ${plural(times, 'time')}`,
  );
  const record = (live.record ?? []).map((field) => fieldLine(field, source.file));
  return [
    ...section(`Live: ${plural(live.calls.length, 'call')}`, abridged(live.calls.map(callsLine))),
    ...section('Contradicted, so answered without', live.contradicted.map(claimLine)),
    ...section('Fields that became null', nulls),
    ...section('The first record', record),
    '',
    `Answer: ${answerText(live.answer)}`,
  ];
}

/** Reports an explanation. */
export function explanationReport(explanation: Explanation): Report {
  const { request, operation, permission, source, question, plan, budget, cacheKey, live } = explanation;
  const about = [
    `${operation}, ${permission === null ? 'public' : `needs ${permission}`}: ${question}`,
    `from ${source.name} (${source.file}), credential: ${source.credential}`,
  ];
  const blocks = [
    { heading: request, blocks: about },
    ...planBlocks(plan),
    ...section('Left for Portico', plan.gatewaySteps),
    ...section('Depends on', plan.dependsOn.map(claimLine)),
    ...section('Budget of a scan', [
      `${plural(budget.rows, 'row')}, ${plural(budget.calls, 'call')}, ${budget.timeMs} ms; more is answered with ${budget.beyond}`,
    ]),
    ...section('Cache', [
      `fresh for ${explanation.freshSeconds} s`,
      `key: ${cacheKey.operation} / ${cacheKey.digest} / ${cacheKey.query}`,
    ]),
    ...(live === undefined ? [] : liveBlocks(live, explanation)),
  ];
  return { json: explanation, blocks };
}

/** Reports the error that a client gets for such a request. */
export function mistakeReport(clientError: ClientMistake): Report {
  const { request, operation, mistake } = clientError;
  const blocks = [
    { heading: request, blocks: [operation] },
    ...section(`A client gets ${mistake.status}:`, [mistake.body]),
  ];
  return { json: clientError, blocks };
}

/** Reports what happens to a request to a pass-through route. */
export function passthroughReport(explained: PassthroughExplanation): Report {
  const { request, operation, permission, sentTo, refused, headers, bounds, isRepeated, kept } = explained;
  const about = `${operation}, ${permission === null ? 'public' : `needs ${permission}`}: passed on untranslated`;
  const added = headers.added.map((name) => `${name}: ${MASK}`);
  const { deadlineMs, bodyBytesMax, concurrency, queueMax } = bounds;
  const blocks = [
    { heading: request, blocks: [about] },
    ...section('A client gets', refused ? [`${refused.status} ${refused.code}: ${refused.because}`] : []),
    ...section('Sent to', sentTo),
    ...section('With', [...added, 'X-Forwarded-For, -Host and -Proto, X-Request-Id, traceparent']),
    ...section('And from the caller, although anybody may say it', headers.fromCallers),
    ...section('Within', [
      `${deadlineMs} ms, ${bodyBytesMax} bytes of body, ${concurrency} requests at once and ${queueMax} waiting`,
      isRepeated ? 'sent again if no byte of an answer came' : 'never sent again',
    ]),
    ...section('The answer may be kept', [kept]),
  ];
  return { json: explained, blocks };
}
