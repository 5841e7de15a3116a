import { createIncidentDescriber } from '../../../../src/admin/actions/incident-actions.ts';
import type { FleetIncident } from '../../../../src/telemetry/incidents/fleet-incidents.ts';

const FIRST = Date.UTC(2026, 0, 31, 3, 0, 0);
const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();

const incident: FleetIncident = {
  ...{ id: 'source-crm-1', kind: 'source', subject: 'crm', cause: 'answers 500', severity: 'warning' },
  ...{ since: FIRST, last: FIRST, seen: FIRST, isOpen: true, reopened: 0, notSent: 0 },
  ...{ calls: { failed: 5, total: 5 }, answers: { failed: 0, total: 0 }, otherCallers: 0 },
  ...{ callers: {}, labels: {}, operations: {}, hosts: {}, starts: [], told: {} },
};

it('an incident that opens again is described by what changed before its latest run', async () => {
  let now = FIRST + 2 * MINUTE;
  const lines: string[] = [];
  const describeIncidents = createIncidentDescriber({
    clock: { now: () => now },
    act: (name) =>
      Promise.resolve({ kind: 'done', value: name === 'audit' ? { lines } : { text: '' } } as never),
    patience: () => ({
      ...{ breakerMs: () => undefined, staleMs: () => undefined, keysMs: 0, issuerMs: 0, issuerPauseMs: 0 },
      ...{ redisUrl: () => undefined, operationsOf: () => [] },
    }),
  });
  const changesOf = async (one: FleetIncident) =>
    (await describeIncidents([one]))[0]?.before.changes.map(({ what }) => what);
  expect(await changesOf(incident)).toEqual([]);
  now = FIRST + 8 * MINUTE;
  const change = { actor: 'local', action: 'cache.purge', target: 'users', outcome: 'done' };
  const at = iso(FIRST + 5 * MINUTE);
  lines.push(JSON.stringify({ number: 1, at, gateway: 'one:1', previous: '', ...change }));
  const again = { ...incident, since: FIRST + 6 * MINUTE, firstAt: FIRST, reopened: 1 };
  expect(await changesOf(again)).toEqual(['cache.purge users']);
});
