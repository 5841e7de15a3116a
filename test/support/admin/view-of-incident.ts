import { readFileSync } from 'node:fs';
import { compileIncident, type IncidentFacts } from '../../../src/admin/views/incident-view.ts';
import type { FleetIncident } from '../../../src/telemetry/incidents/fleet-incidents.ts';

/** The time at which an incident is looked at. */
export const NOW = Date.UTC(2026, 0, 31, 3, 10, 0);

/** An entry of the runbook, as its file has it. */
const runbook = (entry: string) =>
  readFileSync('config/docs/runbook.md', 'utf8').split(`### \`${entry}\``)[1]?.split('\n### ')[0];

/** What is said of an open incident that has failed just now, since a minute ago. */
export function viewOf(incident: Partial<FleetIncident>, facts: Partial<IncidentFacts> = {}) {
  const usual: FleetIncident = {
    ...{ id: 'one', kind: 'source', subject: 'crm', cause: 'connection refused', severity: 'critical' },
    ...{ since: NOW - 60_000, last: NOW, seen: NOW, isOpen: true, reopened: 0, notSent: 0 },
    ...{ calls: { failed: 5, total: 8 }, answers: { failed: 0, total: 8 }, callers: {}, operations: {} },
    ...{ labels: {}, otherCallers: 0, hosts: {}, starts: [], told: {} },
  };
  return compileIncident(
    { ...usual, ...incident },
    {
      ...{ now: NOW, before: { changes: [] }, effects: [], runbook, keysMs: 30_000, issuerMs: 300_000 },
      issuerPauseMs: 30_000,
      ...{ breakerMs: () => 5_000, staleMs: () => undefined, redisUrl: () => 'redis://r1:6379' },
      operationsOf: ({ resource }) => [`${resource}.list`, `${resource}.get`],
      ...facts,
    },
  );
}
