import {
  createIncidentActions,
  createIncidentDescriber,
} from '../../../../src/admin/actions/incident-actions.ts';
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

const patience = () => ({
  ...{ breakerMs: () => undefined, staleMs: () => undefined, keysMs: 0, issuerMs: 0, issuerPauseMs: 0 },
  ...{ redisUrl: () => undefined, operationsOf: () => [] },
});

it('an incident has the reloads of this gateway before it, although the audit cannot be read', async () => {
  const of = { rev: 2, digest: 'd', changes: [{ path: 'sources.crm', kind: 'changed' }] } as const;
  const reloads = [
    {
      ...of,
      at: iso(FIRST - 2_000),
      by: 'ada',
      outcome: 'refused',
      problems: ['crm.yaml:7: no map\n  write one'],
    },
    { ...of, at: iso(FIRST - 5_000), by: 'watch', outcome: 'unchanged' },
    { ...of, at: iso(FIRST - 9_000), by: 'ada', outcome: 'applied' },
    { ...of, at: iso(FIRST - 60 * MINUTE), by: 'start', outcome: 'started' },
  ] as const;
  const withAudit = (isLost: boolean) =>
    createIncidentDescriber({
      clock: { now: () => FIRST },
      act: (name) =>
        name === 'audit' && isLost
          ? Promise.reject(new Error('no Redis'))
          : Promise.resolve({
              kind: 'done',
              value: name === 'audit' ? { lines: [] } : { text: '' },
            } as never),
      reloads: () => reloads,
      patience,
    });
  const [lost] = await withAudit(true)([incident]);
  expect(lost?.before).toEqual({
    changes: [
      { at: iso(FIRST - 2_000), by: 'ada', what: 'reload refused: crm.yaml:7: no map; write one' },
      { at: iso(FIRST - 9_000), by: 'ada', what: 'reload applied: sources.crm changed' },
    ],
    problem: 'the audit cannot be read now, so changes may be missing',
  });
  const [kept] = await withAudit(false)([incident]);
  expect(kept?.before.changes).toEqual([]);
});

it('incidents and what none of them explains are of one reading', async () => {
  let reads = 0;
  const { incidents } = createIncidentActions({
    clock: { now: () => FIRST },
    known: () => {
      reads += 1;
      return Promise.resolve({ scope: 'fleet', silent: [], incidents: [incident] });
    },
    describe: () => Promise.resolve([]),
    conditions: () =>
      Promise.resolve([
        {
          item: { severity: 'critical', code: 'breaker_open', text: 'The breaker is open.', entry: 'one' },
          subject: { source: 'crm' },
        },
        {
          item: { severity: 'info', code: 'spans_lost', text: 'Spans are lost.', entry: 'other' },
          subject: {},
        },
      ]),
    served: () => [{ name: 'crm', operations: ['users.list'], resources: ['users'] }],
  });
  const { others } = await incidents();
  expect([reads, others.map(({ code }) => code)]).toEqual([1, ['spans_lost']]);
});

it('an incident that opens again is described by what changed before its latest run', async () => {
  let now = FIRST + 2 * MINUTE;
  const lines: string[] = [];
  const describeIncidents = createIncidentDescriber({
    clock: { now: () => now },
    reloads: () => [],
    act: (name) =>
      Promise.resolve({ kind: 'done', value: name === 'audit' ? { lines } : { text: '' } } as never),
    patience,
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
