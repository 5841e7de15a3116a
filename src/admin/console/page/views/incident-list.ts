// The part of the overview with the open incidents and whatever else needs attention.

import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { IncidentList, IncidentView } from '../../../api/incident-specs.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { element, html } from '../parts/html.ts';
import { problemNote, stateMark, timeMark } from '../parts/marks.ts';
import { RunbookLink } from '../parts/runbook-dialog.ts';
import { addressOf, isOwnAddress } from '../show/address.ts';
import { bySeverity, severityTone } from '../show/tones.ts';
import { attentionFacts, type AttentionItem, effectsPart, incidentFacts } from './incident-facts.ts';

/** How often incidents are read while one is open. It is often, because they say in how many seconds something happens. */
const OPEN_MS = 2_000;
const CALM_MS = 15_000;

function openItem(incident: IncidentView, at: string): VNode {
  const { id, severity, text } = incident;
  return html`<li key=${id} class=${`incident ${severity}`}>
    <h3>${stateMark(severityTone[severity], severity)} <a href=${addressOf('incident', id)}>${text}</a></h3>
    ${incidentFacts(incident, at)} ${effectsPart(incident, false)}
  </li>`;
}

function attentionItem(item: AttentionItem, index: number): VNode {
  const { severity, code, text, entry, view, todo } = item;
  const isLink = view !== undefined && isOwnAddress(view);
  return html`<li key=${`${code} ${index}`} class=${severity}>
    ${stateMark(severityTone[severity], severity)}
    <p>${text}</p>
    ${
      todo === undefined
        ? html`<span class="links">
            ${isLink ? html`<a href=${view}>Look<span class="hidden"> at ${code}</span></a>` : null}
            ${entry === undefined ? null : element(RunbookLink, { entry })}
          </span>`
        : attentionFacts(item, todo)
    }
  </li>`;
}

function endedPart(ended: readonly IncidentView[], now: number): VNode | null {
  if (ended.length === 0) return null;
  return html`<details>
    <summary>
      ${ended.length === 1 ? '1 incident' : `${ended.length} incidents`} ended within the last day
    </summary>
    <ul class="plain">
      ${ended.map(({ id, last, text }) => html`<li key=${id}>${timeMark(last, now)} <a href=${addressOf('incident', id)}>${text}</a></li>`)}
    </ul>
  </details>`;
}

/**
 * The part of the overview on what is wrong: open incidents, those of the last day, and what else needs attention. All of it is of
 * one answer, because parts of different moments contradict each other.
 */
export function IncidentsSection(): VNode {
  const { now, overview } = useConsole();
  const attention = overview?.attention ?? [];
  const isOpen = attention.some(({ incident }) => incident !== undefined);
  const { value, problem, reload } = useLoad<IncidentList>('incidents', isOpen ? OPEN_MS : CALM_MS);
  const told = attention.map(({ incident, text }) => incident ?? text).join('\n');
  // The stream tells of something new, or of an end, before the next reading.
  useEffect(reload, [told]);
  const open = bySeverity(value?.incidents.filter(({ state }) => state === 'open') ?? []);
  const others = bySeverity(value?.others ?? []);
  const isCalm = value !== undefined && others.every(({ severity }) => severity !== 'critical');
  return html`<div>
    <section class="attention" aria-labelledby="s-incidents">
      <h2 id="s-incidents">Incidents${value?.scopeText ? html` <small>${value.scopeText}</small>` : null}</h2>
      ${problemNote(problem, reload)}
      ${
        open.length === 0
          ? html`<p class="calm">
              ${isCalm && stateMark('good', 'calm')}${value === undefined ? 'Incidents are being read.' : ' No incident is open.'}
            </p>`
          : html`<ul>
              ${open.map((one) => openItem(one, value?.at ?? ''))}
            </ul>`
      }
      ${endedPart(value?.incidents.filter(({ state }) => state === 'ended') ?? [], now)}
    </section>
    ${
      others.length === 0
        ? null
        : html`<section class="attention" aria-labelledby="s-attention">
            <h2 id="s-attention">Needs attention, too</h2>
            <ul>
              ${others.map(attentionItem)}
            </ul>
          </section>`
    }
  </div>`;
}
