// Small parts that many views show: a state, a note, a number, a link.

import type { VNode } from 'preact';
import type { ApiProblem } from '../data/api.ts';
import type { Loaded } from '../data/use-load.ts';
import { type Address, addressOf, changedQuery } from '../show/address.ts';
import type { Tone } from '../show/tones.ts';
import { instantText, type Instant, timeText } from '../show/times.ts';
import { type Children, html } from './html.ts';

/** A state as a colour, a shape and a word, so that people who do not see the colour can read it. */
export function stateMark(tone: Tone, word: string, title = ''): VNode {
  return html`<span class=${`state ${tone}`} title=${title}><i aria-hidden="true"></i>${word}</span>`;
}

/** The time of an instant; its title has the date, too. */
export function timeMark(instant: Instant, now: number): VNode {
  return html`<time class="num" title=${instantText(instant)}>${timeText(instant, now)}</time>`;
}

/** A section with a heading of its own. */
export function cardOf(title: string, note: Children, children: Children): VNode {
  const id = `s-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  return html`<section class="card" aria-labelledby=${id}>
    <header>
      <h2 id=${id}>${title}</h2>
      ${note === '' ? null : html`<p class="note">${note}</p>`}
    </header>
    ${children}
  </section>`;
}

/** Names and their values. */
export function factList(facts: readonly (readonly [string, Children])[]): VNode {
  const shown = facts.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return html`<dl class="facts">
    ${shown.map(
      ([name, value]) =>
        html`<div key=${name}>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** What went wrong, and what to do. */
export function problemNote(problem: ApiProblem | undefined, again?: () => void): VNode | null {
  if (problem === undefined) return null;
  return html`<div class="notice bad" role="alert">
    <p><strong>${problem.message}</strong></p>
    ${problem.hint === '' ? null : html`<p>${problem.hint}</p>`}
    ${again && html`<button type="button" onClick=${again}>Try again</button>`}
  </div>`;
}

/** Says that there is nothing to show, and what that means. */
export function emptyNote(text: string): VNode {
  return html`<p class="empty">${text}</p>`;
}

/** Grey bars while something is loaded; the style sheet hides them for the first 300 ms. */
export function skeleton(lines = 4): VNode {
  return html`<div class="skeleton" aria-hidden="true">
    ${Array.from({ length: lines }, (_, index) => html`<i key=${index}></i>`)}
  </div>`;
}

/** Draws what was loaded by `show`; grey bars until it is loaded; the problem if loading fails. */
export function loadedPart<Value>(
  { value, problem, reload }: Loaded<Value>,
  show: (value: Value) => Children,
  lines = 8,
): VNode {
  const waiting = problem === undefined ? skeleton(lines) : null;
  return html`${problemNote(problem, reload)}${value === undefined ? waiting : show(value)}`;
}

/** A choice of one value. The options are values with their texts. */
export function choiceField(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string | undefined,
  choose: (value: string) => void,
): VNode {
  return html`<label class="inline"
    >${label}
    <select onChange=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
      ${options.map(([value, text]) => html`<option key=${value} value=${value} selected=${value === chosen}>${text}</option>`)}
    </select></label
  >`;
}

/** A link to a source. */
export function sourceLink(name: string): VNode {
  return html`<a href=${addressOf('source', name)}>${name}</a>`;
}

/** A large number with its name and a note. */
export type StatTile = {
  readonly name: string;
  readonly value: string;
  readonly note?: Children;
  readonly tone?: Tone;
  readonly spark?: Children;
};

/** Large numbers in a row. */
export function statTiles(tiles: readonly StatTile[]): VNode {
  return html`<dl class="tiles">
    ${tiles.map(
      ({ name, value, note, tone = 'idle', spark }) =>
        html`<div key=${name} class=${`tile ${tone}`}>
          <dt>${name}</dt>
          <dd><b class="num">${value}</b>${note ? html`<small>${note}</small>` : null}${spark}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The head of a view: its name, which processes it covers, and what can be done. */
export function viewHead(title: Children, note: Children, actions: Children = null): VNode {
  return html`<header class="view-head">
    <div>
      <h1 tabindex="-1">${title}</h1>
      <p class="note">${note}</p>
    </div>
    ${actions ? html`<div class="actions">${actions}</div>` : null}
  </header>`;
}

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
