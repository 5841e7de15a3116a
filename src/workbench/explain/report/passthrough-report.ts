import type { PassthroughExplanation } from '../explain-passthrough.ts';
import { type Report, section } from './report.ts';

/** Reports what becomes of a request to a pass-through route. */
export function passthroughReport(explained: PassthroughExplanation): Report {
  const { request, operation, permission, sentTo, refused, headers, bounds, isRepeated, kept } = explained;
  const about = `${operation}, ${permission === null ? 'public' : `needs ${permission}`}: passed on untranslated`;
  const added = headers.added.map((name) => `${name}: ***`);
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
