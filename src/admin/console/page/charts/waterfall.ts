import type { VNode } from 'preact';
import type { RequestDetail } from '../../../api/request-action-specs.ts';
import { html } from '../parts/html.ts';
import { durationText } from '../show/units.ts';
import { barOf } from './geometry.ts';

type Timing = RequestDetail['timings'][number];

/** What each timing measures, for readers who do not know the gateway. */
const meanings: Readonly<Record<string, string>> = {
  admission: 'waiting to be admitted',
  credential: 'checking the credential',
  limit: 'asking the rate limit',
  cache: 'looking into the cache',
  shared: 'waiting for the same question of another caller',
  plan: 'planning the upstream calls',
  login: 'logging in at the source',
  bulkhead: 'waiting for a place at the source',
  upstream: 'calling the source',
  read: 'reading and mapping the reply',
  backoff: 'waiting before a retry',
  gateway: 'in the gateway itself',
  answer: 'sending the answer',
};

/** The timings of a request as bars over its duration. */
export function waterfall(timings: readonly Timing[], wholeMs: number): VNode {
  return html`<ol class="waterfall" aria-label="Timings of the request">
    ${timings.map((timing, index) => {
      const { left, width } = barOf(timing.startMs, timing.ms, wholeMs);
      return html`<li key=${index}>
        <span class="step"
          ><b>${timing.name}</b><small>${timing.detail ?? meanings[timing.name] ?? ''}</small></span
        >
        <span class="track"
          ><i class=${`bar ${timing.name}`} style=${{ left: `${left}%`, width: `${width}%` }}></i
        ></span>
        <span class="num number">${durationText(timing.ms)}</span>
      </li>`;
    })}
  </ol>`;
}
