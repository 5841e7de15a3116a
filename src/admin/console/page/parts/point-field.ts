// The field in which people choose a point in time, for the views that compare it with now: audit, configuration, quality.

import type { VNode } from 'preact';
import { goTo, useConsole } from '../data/console-context.ts';
import { changedQuery } from '../show/address.ts';
import { pointText, readPoint } from '../show/points-in-time.ts';
import { element, html } from './html.ts';

/** A point in time that is part of the address, so that a link shows the same view. */
export type PointChoice = { readonly name: 'at' | 'since'; readonly label: string };

function PointField({ name, label }: PointChoice): VNode {
  const { address, now } = useConsole();
  const choose = (event: Event) =>
    goTo(changedQuery(address, { [name]: (event.target as HTMLInputElement).value }), true);
  return html`<label class="inline"
    >${label}
    <input
      type="datetime-local"
      value=${pointText(readPoint(address.query[name], now))}
      max=${pointText(now)}
      onChange=${choose}
  /></label>`;
}

/** A field for a point in time, in UTC. If it is emptied, the address loses it. */
export function pointField(choice: PointChoice): VNode {
  return element(PointField, choice);
}
