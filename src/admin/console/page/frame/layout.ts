// The frame around every view: the navigation, who is signed in, and whether events arrive.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { StreamState } from '../data/events.ts';
import { useConsole } from '../data/console-context.ts';
import { type Children, html } from '../parts/html.ts';
import { stateMark } from '../parts/marks.ts';
import { addressOf, type ViewName } from '../show/address.ts';
import type { Tone } from '../show/tones.ts';
import { clockText, instantText } from '../show/times.ts';
import { destinations } from './destinations.ts';
import { keepTheme, keptTheme, nextTheme } from './theme.ts';

const streamWords: Readonly<Record<StreamState, readonly [Tone, string]>> = {
  connecting: ['idle', 'connecting'],
  live: ['good', 'live'],
  paused: ['idle', 'paused'],
  reconnecting: ['warn', 'reconnecting'],
  draining: ['warn', 'gateway is ending'],
};

function navigation(view: ViewName, troubles: number, onGo: () => void): VNode {
  const current = { request: 'requests', incident: 'overview' }[view as string] ?? view;
  return html`<nav aria-label="Views">
    <ul>
      ${destinations.map(
        (one) =>
          html`<li key=${one.view}>
            <a
              href=${addressOf(one.view)}
              aria-current=${one.view === current ? 'page' : undefined}
              title=${`g ${one.jump}`}
              onClick=${onGo}
            >
              ${one.title}${one.view === 'overview' && troubles > 0 ? html`<b class="count" aria-label=${`${troubles} need attention`}>${troubles}</b>` : null}
            </a>
          </li>`,
      )}
    </ul>
  </nav>`;
}

function ThemeSwitch(): VNode {
  const [theme, setTheme] = useState(keptTheme());
  const change = () => {
    const next = nextTheme(theme);
    keepTheme(next);
    setTheme(next);
  };
  return html`<button type="button" class="quiet" onClick=${change} aria-label=${`Theme: ${theme}`}>
    Theme: ${theme}
  </button>`;
}

/** What the frame needs. `message` is shown below the view, where a screen reader speaks it; empty: there is none. */
export type LayoutProps = {
  readonly onLogout: () => void;
  readonly onHelp: () => void;
  readonly message: string;
  readonly children?: Children;
};

/** The frame around a view. */
export function Layout({ onLogout, onHelp, message, children }: LayoutProps): VNode {
  const { session, address, overview, stream, now } = useConsole();
  const [isOpen, setOpen] = useState(false);
  const troubles = overview?.attention.filter(({ severity }) => severity !== 'info').length ?? 0;
  const [tone, word] = streamWords[stream];
  return html`<div class=${`frame${isOpen ? ' open' : ''}${session === undefined ? ' asking' : ''}`}>
    <a
      class="skip"
      href="#content"
      onClick=${(event: Event) => {
        event.preventDefault();
        document.getElementById('content')?.focus();
      }}
      >Skip to the content</a
    >
    <header class="top">
      <a class="brand" href=${addressOf('overview')}
        ><img src="icon.svg" alt="" width="24" height="24" /> Portico</a
      >
      <button
        type="button"
        class="menu"
        aria-expanded=${isOpen}
        aria-controls="side"
        onClick=${() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <span class="top-state"
        >${stateMark(tone, word, 'The stream of metrics')}<span class="num clock" title="Universal time"
          >${clockText(now)} UTC</span
        ></span
      >
    </header>
    <aside id="side">
      ${navigation(address.view, troubles, () => setOpen(false))}
      <div class="who">
        <p><b>${session?.name}</b> <span class="role">${session?.role}</span></p>
        ${session?.how === 'local' && html`<p class="note">No token is set, so this machine may read. Set one to make changes.</p>`}
        ${session?.endsAt && html`<p class="note" title=${instantText(session.endsAt)}>until ${clockText(session.endsAt).slice(0, 5)} UTC</p>`}
        <p class="who-actions">
          <${ThemeSwitch} />
          <button type="button" class="quiet" onClick=${onHelp}>Shortcuts</button>
          ${session?.how !== 'local' && html`<button type="button" class="quiet" onClick=${onLogout}>Log out</button>`}
        </p>
        <p class="note">Portico ${session?.version ?? overview?.version ?? ''}</p>
      </div>
    </aside>
    <main id="content" tabindex="-1">
      ${overview?.draining === true && html`<p class="notice warn" role="status">This gateway drains: it takes no new requests and ends.</p>`}
      ${children}
    </main>
    <p class="toast" role="status">${message}</p>
  </div>`;
}
