// Chooses what the console shows first: open incidents and conditions, without those that another incident explains.

import type { findConditions } from '../../telemetry/conditions/conditions.ts';
import { rootIncidentOf, explanationOf, type ServedBySource } from '../../telemetry/incidents/causes.ts';
import type { FleetIncident } from '../../telemetry/incidents/fleet-incidents.ts';
import type { ActionValue } from '../api/action-table.ts';
import type { IncidentView } from '../api/incident-specs.ts';
import { todoOf } from './incident-todo.ts';
import { incidentText } from './incident-view.ts';

/** A condition that holds, and where. */
export type Found = ReturnType<typeof findConditions>[number];

/** The open incidents that are no effect of another one. */
export const rootsOf = (incidents: readonly FleetIncident[]): readonly FleetIncident[] => {
  const open = incidents.filter(({ isOpen }) => isOpen);
  return open.filter((one) => rootIncidentOf(one, open) === undefined);
};

/** What needs attention: the open incidents, and the conditions that none of them explains. */
export function attentionOf(
  found: readonly Found[],
  incidents: readonly FleetIncident[],
  served: readonly ServedBySource[],
): ActionValue<'overview'>['attention'] {
  const items = rootsOf(incidents).map((one) => ({
    ...{ severity: one.severity, code: 'incident', text: incidentText(one), entry: todoOf(one).entry },
    ...{ view: `#/incident/${one.id}`, incident: one.id, since: new Date(one.since).toISOString() },
  }));
  return [...items, ...othersOf(found, incidents, served)];
}

/** The conditions that no incident explains. */
export function othersOf(
  found: readonly Found[],
  incidents: readonly FleetIncident[],
  served: readonly ServedBySource[],
) {
  const open = incidents.filter(({ isOpen }) => isOpen);
  const others = found.filter(
    ({ item, subject }) => explanationOf(item.code, subject, open, served) === undefined,
  );
  return others.map(({ item }) => item);
}

/** Finds what is wrong because of an incident: conditions that it explains, and incidents that it is the cause of. */
export function effectsIn(
  found: readonly Found[],
  open: readonly FleetIncident[],
  served: readonly ServedBySource[],
) {
  return (incident: FleetIncident): IncidentView['effects'] => [
    ...open
      .filter((one) => rootIncidentOf(one, open) === incident)
      .map((one) => ({ severity: one.severity, code: one.kind, text: incidentText(one) })),
    ...found
      .filter(({ item, subject }) => explanationOf(item.code, subject, open, served) === incident)
      .map(({ item: { severity, code, text } }) => ({ severity, code, text })),
  ];
}
