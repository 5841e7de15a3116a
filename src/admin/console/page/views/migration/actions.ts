// The buttons and forms with which an operator changes a migration, in its view.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { MigrationPreview, MigrationStatus } from '../../../../api/migration-schemas.ts';
import { migrationStages, readPosition, stageText } from '../../show/migration-texts.ts';
import { useConsole } from '../../data/console-context.ts';
import { useLoad } from '../../data/use-load.ts';
import {
  actionDialog,
  type ActionForm,
  type ChangeDeps,
  reasonField,
  sendChange,
} from '../../parts/action-dialog.ts';
import { element, html } from '../../parts/html.ts';

/** What a form of a migration needs. */
export type FormDeps = ChangeDeps & { readonly status: MigrationStatus };

/** Sends a change of the migration, and then loads its status again. */
export async function change(
  deps: FormDeps,
  name: string,
  values: Readonly<Record<string, unknown>>,
  method: 'POST' | 'DELETE' = 'POST',
): Promise<undefined> {
  await sendChange(deps, `migrations/${encodeURIComponent(deps.status.resource)}/${name}`, values, method);
  return undefined;
}

/** The callers that the share of the next step reaches, by the calls of the last hour. */
function StepReach({ resource, percent }: { resource: string; percent: number }): VNode | null {
  const path = `migrations/${encodeURIComponent(resource)}/preview?percent=${percent}`;
  const { value } = useLoad<MigrationPreview>(path);
  if (value === undefined || value.callers === 0) return null;
  const { callers, reached, callsPercent, least, largest } = value;
  const isMet = least !== null && percent >= least;
  const hint = least === null ? 'no share reaches one' : `the least share that reaches one is ${least} %`;
  return html`<div class=${`notice ${isMet ? 'good' : 'warn'}`}>
    <p>
      ${percent} % reaches ${reached} of ${callers} callers of the last hour, ${callsPercent} % of the
      calls${isMet ? '.' : `: ${hint}, or allow names callers.`}
    </p>
    <ul class="plain">
      ${largest.flatMap((one) => (one.isReached ? [html`<li key=${one.caller}>${one.label ?? one.caller}: ${one.callsPercent} %</li>`] : []))}
    </ul>
  </div>`;
}

function stepForm(deps: FormDeps): ActionForm {
  const { status } = deps;
  const next = readPosition(status.gate.next ?? '');
  const unmet = status.gate.unmet.map(
    ({ id, operation, have, need }) =>
      html`<li key=${`${id} ${operation ?? ''}`}>${operation ?? ''} ${id}: ${have}, needs ${need}</li>`,
  );
  return {
    title: `Take a step with ${status.resource}`,
    text: html`<p>
        Now: <b>${stageText(status)}</b>. Forward it goes one step at a time, through the gate; back always.
      </p>
      ${
        unmet.length > 0
          ? html`<div class="notice warn">
              <p>The gate still asks for:</p>
              <ul class="plain">
                ${unmet}
              </ul>
            </div>`
          : html`<p class="notice good">The gate is ready.</p>`
      }
      ${next?.percent === undefined ? null : element(StepReach, { resource: status.resource, percent: next.percent })}`,
    verb: 'Take the step',
    fields: [
      {
        name: 'stage',
        label: 'To stage',
        kind: 'select',
        options: migrationStages,
        value: next?.stage ?? status.stage,
      },
      {
        name: 'percent',
        label: 'Share of a ramp in % (optional)',
        kind: 'number',
        value: next?.percent === undefined ? '' : String(next.percent),
        hint: 'Empty: the share of the next step.',
      },
      {
        name: 'force',
        label: 'Force: although the gate refuses it',
        kind: 'check',
      },
      // The API asks for one only where a step is forced; but each change that moves callers should say why.
      reasonField(true),
    ],
    run: ({ stage, percent, force, reason }) =>
      change(deps, 'stage', {
        ...{ stage, rev: status.rev, reason },
        percent: stage === 'ramp' && percent ? Number(percent) : undefined,
        force: force === 'true' || undefined,
      }),
  };
}

function rollbackForm(deps: FormDeps): ActionForm {
  const { status } = deps;
  return {
    title: `Roll ${status.resource} back`,
    text: html`<p>
      All callers go back to <b>${status.sources[0]}</b> at once, and the migration is held. Nothing is asked
      for first.
    </p>`,
    verb: 'Roll back now',
    isDangerous: true,
    fields: [
      reasonField(true),
      ...(status.stage === 'complete'
        ? [
            {
              name: 'force',
              label: 'Roll back from complete, if the legacy source answers',
              kind: 'check' as const,
            },
          ]
        : []),
    ],
    run: ({ force, reason }) => change(deps, 'rollback', { reason, force: force === 'true' || undefined }),
  };
}

function approveForm(
  deps: FormDeps,
  { to, by, reason, over }: NonNullable<MigrationStatus['pending']>,
): ActionForm {
  const why = reason === undefined ? '' : `: ${reason}`;
  return {
    title: `Approve the step of ${deps.status.resource}`,
    text: html`<p>
        <b>${by}</b> has asked for <b>${to.replace(':', ' ')}</b>${why}. Another operator has to approve it.
      </p>
      ${
        over.length === 0
          ? null
          : html`<div class="notice warn">
              <p>It is forced over:</p>
              <ul class="plain">
                ${over.map((one) => html`<li>${one}</li>`)}
              </ul>
            </div>`
      }`,
    verb: 'Approve',
    fields: [reasonField(true)],
    run: (values) => change(deps, 'approve', { rev: deps.status.rev, ...values }),
  };
}

function holdForm(deps: FormDeps): ActionForm {
  const isHeld = deps.status.hold !== null;
  return {
    title: isHeld ? `Resume ${deps.status.resource}` : `Hold ${deps.status.resource}`,
    text: isHeld
      ? html`<p>Somebody has looked at what was wrong: steps forward are possible again.</p>`
      : html`<p>No step forward from now on, by anybody. A rollback stays possible.</p>`,
    verb: isHeld ? 'Resume' : 'Hold',
    fields: [reasonField(true)],
    run: (values) => change(deps, isHeld ? 'resume' : 'hold', { rev: deps.status.rev, ...values }),
  };
}

/** The changes of a migration, for an operator. */
export function MigrationActions({ status, reload }: Omit<FormDeps, 'ask'>): VNode | null {
  const { ask, canWrite } = useConsole();
  const [form, setForm] = useState<ActionForm>();
  if (!canWrite) return null;
  const deps = { ask, status, reload };
  const { pending } = status;
  const isHeld = status.hold !== null;
  return html`<span class="row-actions">
    <button type="button" class=${isHeld ? 'primary' : ''} onClick=${() => setForm(holdForm(deps))}>
      ${isHeld ? 'Resume' : 'Hold'}
    </button>
    ${
      pending === null
        ? null
        : html`<button
            type="button"
            class=${isHeld ? '' : 'primary'}
            onClick=${() => setForm(approveForm(deps, pending))}
          >
            Approve
          </button>`
    }
    <button
      type="button"
      class=${isHeld || pending !== null ? '' : 'primary'}
      onClick=${() => setForm(stepForm(deps))}
    >
      Take a step
    </button>
    <button
      type="button"
      class="danger"
      disabled=${status.stage === 'legacy'}
      onClick=${() => setForm(rollbackForm(deps))}
    >
      Roll back
    </button>
    ${actionDialog(form, () => setForm(undefined))}
  </span>`;
}
