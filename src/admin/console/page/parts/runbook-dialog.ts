// The dialog with an entry of the runbook, and the link that opens it, for incidents and failed requests.

import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { goTo, useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { changedQuery } from '../show/address.ts';
import { type Block, readMarkdown } from '../show/markdown.ts';
import { element, html } from './html.ts';
import { problemNote, skeleton } from './marks.ts';

function blockOf(block: Block, index: number): VNode {
  if (block.kind === 'pre') return html`<pre key=${index} tabindex="0">${block.text}</pre>`;
  const pieces = block.pieces.map(({ kind, text }, at) => {
    if (kind === 'code') return html`<code key=${at}>${text}</code>`;
    return kind === 'strong' ? html`<strong key=${at}>${text}</strong>` : text;
  });
  return html`<p key=${index} class=${block.kind === 'item' ? 'list-item' : ''}>${pieces}</p>`;
}

function RunbookDialog({ entry }: { entry: string }): VNode {
  const { address } = useConsole();
  const dialog = useRef<HTMLDialogElement>(null);
  const { value, problem } = useLoad<{ title: string; text: string }>(`runbook/${encodeURIComponent(entry)}`);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  return html`<dialog
    ref=${dialog}
    class="wide"
    aria-labelledby="runbook-title"
    onClose=${() => goTo(changedQuery(address, { runbook: '' }), true)}
  >
    <h2 id="runbook-title">Runbook: ${value?.title ?? entry}</h2>
    ${problemNote(problem)}
    ${value === undefined ? (problem === undefined ? skeleton() : null) : html`<div class="prose">${readMarkdown(value.text).map(blockOf)}</div>`}
    <p class="buttons"><button type="button" class="primary" onClick=${close}>Close</button></p>
  </dialog>`;
}

/** The entry of the runbook that the address names, over the view. */
export function runbookDialog(entry: string | undefined): VNode | null {
  return entry === undefined || entry === '' ? null : element(RunbookDialog, { entry, key: entry });
}

/** A link to an entry of the runbook. */
export function RunbookLink({ entry }: { entry: string }): VNode {
  const { address } = useConsole();
  return html`<a class="quiet" href=${changedQuery(address, { runbook: entry })}
    >Runbook<span class="hidden"> on ${entry}</span></a
  >`;
}
