import type { VNode } from 'preact';
import { type Address, changedQuery } from '../show/address.ts';
import { html } from './html.ts';

/** How far back the charts go: an hour of this gateway, or two days of what Redis keeps. */
export function spanChoice(address: Address, span: '1h' | '48h'): VNode {
  const choice = (value: '1h' | '48h', text: string) =>
    html`<a href=${changedQuery(address, { span: value })} aria-current=${span === value ? 'true' : undefined}
      >${text}</a
    >`;
  return html`<p class="segments" role="group" aria-label="How far back">
    ${choice('1h', '1 hour')}${choice('48h', '48 hours')}
  </p>`;
}
