// The forms in the view of the configuration that check its files or put them in force, and show the result.

import type { VNode } from 'preact';
import type { ConfigDetail, ReloadAnswer } from '../../../api/config-action-specs.ts';
import { type ActionForm, type ChangeDeps, reasonField, sendChange } from '../parts/action-dialog.ts';
import { html } from '../parts/html.ts';
import { emptyNote, stateMark } from '../parts/marks.ts';
import { countText } from '../show/units.ts';

/** What the forms need; `open` shows another form in place of this one. */
type ReloadFormDeps = ChangeDeps & { readonly open: (form: ActionForm) => void };

type ConfigChangeRow = ConfigDetail['lastChange'][number];

/** How each kind of change is marked. */
export const changeSigns = { added: '+', removed: '−', changed: '~' } as const;

/** A list of changes by their place in the files, or a text if there is none. */
export function changeList(changes: readonly ConfigChangeRow[], none: string): VNode {
  if (changes.length === 0) return emptyNote(none);
  return html`<ul class="changes">
    ${changes.map(({ path, kind }) => html`<li key=${`${path} ${kind}`} class=${kind}><b aria-hidden="true">${changeSigns[kind]}</b> <code>${path}</code> <small>${kind}</small></li>`)}
  </ul>`;
}

const kindTone = { applied: 'good', unchanged: 'idle', refused: 'bad', 'dry-run': 'info' } as const;

/** Which comparisons begin anew because of a reload; for a refused one, with the button that forces it. */
function resetsNote(deps: ReloadFormDeps, { kind, resets }: ReloadAnswer): VNode | null {
  if (resets.length === 0) return null;
  if (kind !== 'refused')
    return html`<p class="notice warn">The comparison counts begin anew: ${resets.join(', ')}.</p>`;
  return html`<div class="notice warn">
    <p>Nothing else hinders it: by force, the comparison counts begin anew for ${resets.join(', ')}.</p>
    <p>
      <button type="button" class="danger" onClick=${() => deps.open(forceForm(deps, resets))}>
        Force the reload…
      </button>
    </p>
  </div>`;
}

function outcomeNote(deps: ReloadFormDeps, answer: ReloadAnswer): VNode {
  const { kind, rev, digest, changes, problems = [], waitingFor } = answer;
  return html`<div>
    <p>${stateMark(kindTone[kind], kind)} rev ${rev}, digest <code>${digest.slice(0, 12)}</code></p>
    ${
      problems.length > 0
        ? html`<ul class="problems">
            ${problems.map((problem) => html`<li key=${problem}>${problem}</li>`)}
          </ul>`
        : changeList(changes, 'Nothing is different.')
    }
    ${resetsNote(deps, answer)}
    ${waitingFor > 0 && html`<p class="notice warn">${countText(waitingFor)} processes have not answered within the time.</p>`}
  </div>`;
}

async function sendReload(deps: ReloadFormDeps, values: Readonly<Record<string, unknown>>): Promise<VNode> {
  return outcomeNote(deps, await sendChange<ReloadAnswer>(deps, 'config/reload', values));
}

/** Checks the files. What is only checked leaves no line in the audit. */
export function checkForm(deps: ReloadFormDeps): ActionForm {
  return {
    title: 'Check the files',
    text: html`<p>Reads and checks the files, and says what would become different. Nothing changes.</p>`,
    verb: 'Check',
    fields: [],
    run: () => sendReload(deps, { dryRun: true }),
  };
}

/** Puts the files in force. */
export function reloadForm(deps: ReloadFormDeps): ActionForm {
  return {
    title: 'Reload the configuration',
    text: html`<p>
      Reads and checks the files, and puts them in force in every process of this gateway; or changes nothing
      where something is wrong with them.
    </p>`,
    verb: 'Reload',
    fields: [reasonField(false)],
    run: (values) => sendReload(deps, values),
  };
}

/** Puts the files in force although resources move whose contract changes. */
function forceForm(deps: ReloadFormDeps, resets: readonly string[]): ActionForm {
  return {
    title: 'Force the reload',
    text: html`<p>
        These resources move to another source, and their contract changes: what was compared says nothing of
        the new answers. Their comparison counts begin anew, and the gate asks for all its evidence again.
      </p>
      <ul class="plain">
        ${resets.map((name) => html`<li key=${name}>${name}</li>`)}
      </ul>`,
    verb: 'Reload by force',
    isDangerous: true,
    fields: [reasonField(true)],
    run: (values) => sendReload(deps, { ...values, force: true }),
  };
}
