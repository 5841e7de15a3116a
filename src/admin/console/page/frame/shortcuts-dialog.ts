// The dialog that lists the keyboard shortcuts, opened by `?`.

import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { element, html } from '../parts/html.ts';
import { destinations } from './destinations.ts';

function ShortcutsDialog({ onClose }: { onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const rows = [
    ['/', 'search in the view'],
    ['?', 'these shortcuts'],
    ['Esc', 'close a dialog'],
    ...destinations.map(({ jump, title }) => [`g ${jump}`, title] as const),
  ] as const;
  return html`<dialog ref=${dialog} onClose=${onClose} aria-labelledby="keys-title">
    <h2 id="keys-title">Shortcuts</h2>
    <dl class="keys">
      ${rows.map(
        ([keys, what]) =>
          html`<div key=${keys}>
            <dt>${keys.split(' ').map((one) => html`<kbd key=${one}>${one}</kbd> `)}</dt>
            <dd>${what}</dd>
          </div>`,
      )}
    </dl>
    <p class="buttons">
      <button type="button" class="primary" onClick=${() => dialog.current?.close()}>Close</button>
    </p>
  </dialog>`;
}

/** The list of shortcuts. */
export function shortcutsDialog(isOpen: boolean, onClose: () => void): VNode | null {
  return isOpen ? element(ShortcutsDialog, { onClose }) : null;
}
