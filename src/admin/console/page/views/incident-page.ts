// The view of one incident, with the requests of its time.

import type { VNode } from 'preact';
import type { IncidentView } from '../../../api/incident-specs.ts';
import type { RequestList } from '../../../api/request-action-specs.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { element, html } from '../parts/html.ts';
import { cardOf, loadedPart, stateMark, viewHead } from '../parts/marks.ts';
import { addressOf } from '../show/address.ts';
import { severityTone } from '../show/tones.ts';
import { requestsPath, requestsTable } from './requests.ts';
import { effectsPart, incidentFacts } from './incident-facts.ts';

type OneIncident = { readonly at: string; readonly scopeText: string; readonly incident: IncidentView };

const REQUESTS_SHOWN = 20;

function IncidentRequests({ filter }: { filter: NonNullable<IncidentView['requestFilter']> }): VNode {
  const { now } = useConsole();
  const list = useLoad<RequestList>(requestsPath(filter, REQUESTS_SHOWN), 5_000);
  return cardOf(
    'Its requests',
    html`The newest that failed or were slow. <a href=${addressOf('requests', '', filter)}>All of them</a>`,
    loadedPart(list, ({ requests }) => requestsTable(requests, now), 4),
  );
}

/** The view of one incident, under an address that can be sent to a colleague. */
export function IncidentPage(): VNode {
  const { address } = useConsole();
  const found = useLoad<OneIncident>(`incidents/${encodeURIComponent(address.param)}`, 2_000);
  const { value } = found;
  const back = html`<a href=${addressOf('overview')}>All incidents</a>`;
  return html`<div>
    ${viewHead(value?.incident.text ?? 'Incident', html`<code>${address.param}</code> ${value?.scopeText}`, back)}
    ${loadedPart(found, ({ incident, at }) => {
      const { severity, state, requestFilter } = incident;
      const mark =
        state === 'open' ? stateMark(severityTone[severity], severity) : stateMark('good', 'ended');
      return html`${cardOf('What is known', mark, html`${incidentFacts(incident, at)}${effectsPart(incident, true)}`)}
      ${requestFilter && element(IncidentRequests, { filter: requestFilter })}`;
    })}
  </div>`;
}
