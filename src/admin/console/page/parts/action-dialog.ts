// The dialog in which an operator confirms a change: what it does, its fields, and one button. Nothing is changed by a
// single click.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiProblem, AskApi } from '../data/api.ts';
import { useConsole } from '../data/console-context.ts';
import { toApiProblem } from '../data/use-load.ts';
import { type Children, element, html } from './html.ts';
import { problemNote } from './marks.ts';

/** A field of the form. The value of a `check` is `true` or an empty text. */
export type FormField = {
  readonly name: string;
  readonly label: string;
  readonly kind?: 'text' | 'number' | 'date' | 'select' | 'check';
  readonly options?: readonly string[];
  readonly value?: string;
  readonly isNeeded?: boolean;
  readonly hint?: string;
};

/** The values of a form. */
export type FormValues = Readonly<Record<string, string>>;

/** A change that a person confirms. Two forms of one view need different titles: the title is the key of the dialog. */
export type ActionForm = {
  readonly title: string;
  readonly text: Children;
  readonly fields: readonly FormField[];
  /** What the button says: a verb. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** Carries the change out. Its result is shown instead of the form. @throws ApiProblem */
  readonly run: (values: FormValues) => Promise<Children>;
};

/** What a form needs to send its change: `reload` loads what the view shows again. */
export type ChangeDeps = { readonly ask: AskApi; readonly reload: () => void };

/** Sends a change, without the values that were left empty, and loads the view again. @throws ApiProblem */
export async function sendChange<Value = undefined>(
  { ask, reload }: ChangeDeps,
  path: string,
  values: Readonly<Record<string, unknown>>,
  method: 'POST' | 'DELETE' = 'POST',
): Promise<Value> {
  const filled = Object.entries(values).filter(([, value]) => value !== '' && value !== undefined);
  const answer = await ask<Value>(path, { method, body: Object.fromEntries(filled) });
  reload();
  return answer;
}

/** The field for the reason of a change, which the audit keeps. */
export const reasonField = (isNeeded: boolean): FormField => ({
  name: 'reason',
  label: isNeeded ? 'Reason' : 'Reason (optional)',
  isNeeded,
  hint: 'The audit keeps it.',
});

function fieldRow({
  name,
  label,
  kind = 'text',
  options = [],
  value = '',
  isNeeded = false,
  hint,
}: FormField) {
  const id = `f-${name}`;
  const described = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  const note = hint === undefined ? null : html`<small id=${`${id}-hint`}>${hint}</small>`;
  if (kind === 'check')
    return html`<p key=${name} class="field check">
      <label><input type="checkbox" id=${id} name=${name} value="true" ...${described} /> ${label}</label
      >${note}
    </p>`;
  return html`<p key=${name} class="field">
    <label for=${id}>${label}</label>
    ${
      kind === 'select'
        ? html`<select id=${id} name=${name} ...${described}>
            ${options.map((one) => html`<option key=${one} value=${one} selected=${one === value}>${one}</option>`)}
          </select>`
        : html`<input
            id=${id}
            name=${name}
            type=${kind}
            step="any"
            defaultValue=${value}
            required=${isNeeded}
            autocomplete="off"
            maxlength="2000"
            ...${described}
          />`
    }
    ${note}
  </p>`;
}

/** Reads the values of a form, all as text. */
export function formValues(form: HTMLFormElement): FormValues {
  const entries = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value.trim()] as const] : [],
  );
  return Object.fromEntries(entries);
}

type Phase =
  | { readonly kind: 'asking'; readonly problem?: ApiProblem }
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly shown: Children };

function ActionDialog({ form, onClose }: { form: ActionForm; onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const { announce } = useConsole();
  const [phase, setPhase] = useState<Phase>({ kind: 'asking' });
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    setPhase({ kind: 'running' });
    form.run(formValues(event.target as HTMLFormElement)).then(
      (shown) => {
        if (shown !== undefined && shown !== null) {
          setPhase({ kind: 'done', shown });
          return;
        }
        dialog.current?.close();
        announce(`${form.title}: done. The audit has it.`);
      },
      (error: unknown) => setPhase({ kind: 'asking', problem: toApiProblem(error) }),
    );
  };
  const cancel = () => dialog.current?.close();
  return html`<dialog ref=${dialog} onClose=${onClose} aria-labelledby="dialog-title">
    <h2 id="dialog-title">${form.title}</h2>
    ${
      phase.kind === 'done'
        ? html`<div>
            ${phase.shown}
            <p class="buttons"><button type="button" class="primary" onClick=${cancel}>Done</button></p>
          </div>`
        : html`<form onSubmit=${submit}>
            <div class="dialog-text">${form.text}</div>
            ${form.fields.map(fieldRow)} ${phase.kind === 'asking' ? problemNote(phase.problem) : null}
            <p class="buttons">
              <button type="button" onClick=${cancel}>Cancel</button>
              <button
                type="submit"
                class=${form.isDangerous === true ? 'danger' : 'primary'}
                disabled=${phase.kind === 'running'}
              >
                ${phase.kind === 'running' ? 'Working…' : form.verb}
              </button>
            </p>
          </form>`
    }
  </dialog>`;
}

/** The dialog of a form, if there is a form. */
export function actionDialog(form: ActionForm | undefined, onClose: () => void): VNode | null {
  return form === undefined ? null : element(ActionDialog, { form, onClose, key: form.title });
}
