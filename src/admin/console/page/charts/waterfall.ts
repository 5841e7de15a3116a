import type { VNode } from 'preact';
import type { RequestDetail } from '../../../api/request-action-specs.ts';
import { html } from '../parts/html.ts';
import { durationText } from '../show/units.ts';
import { barOf } from './geometry.ts';

type RequestStep = RequestDetail['steps'][number];

/** What each step is, for those who do not know the gateway. */
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

/** The steps of a request as bars over its time. */
export function waterfall(steps: readonly RequestStep[], wholeMs: number): VNode {
  return html`<ol class="waterfall" aria-label="Steps of the request">
    ${steps.map((step, index) => {
      const { left, width } = barOf(step.startMs, step.ms, wholeMs);
      return html`<li key=${index}>
        <span class="step"
          ><b>${step.name}</b><small>${step.detail ?? meanings[step.name] ?? ''}</small></span
        >
        <span class="track"
          ><i class=${`bar ${step.name}`} style=${{ left: `${left}%`, width: `${width}%` }}></i
        ></span>
        <span class="num figure">${durationText(step.ms)}</span>
      </li>`;
    })}
  </ol>`;
}
