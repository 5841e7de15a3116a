import { readFileSync } from 'node:fs';
import { compileIncident, type IncidentFacts } from '../../../../src/admin/views/incident-view.ts';
import type { FleetIncident } from '../../../../src/telemetry/incidents/fleet-incidents.ts';

const NOW = Date.UTC(2026, 0, 31, 3, 10, 0);

/** An entry of the runbook, as its file has it. */
const runbook = (entry: string) =>
  readFileSync('config/docs/runbook.md', 'utf8').split(`### \`${entry}\``)[1]?.split('\n### ')[0];

/** What is said of an open incident that has failed just now, since a minute ago. */
function viewOf(incident: Partial<FleetIncident>, facts: Partial<IncidentFacts> = {}) {
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
      ...{ breakerMs: () => 5_000, staleMs: () => undefined, redisUrl: () => 'redis://r1:6379' },
      ...facts,
    },
  );
}

const redis = { kind: 'redis', subject: 'keys+limits', cause: 'out of reach' } as const;

describe('an incident of Redis', () => {
  it('says that known keys are no longer served while it is away, and not once it is back', () => {
    expect(viewOf(redis).next).toContain('known keys are no longer served');
    expect(viewOf({ ...redis, last: NOW - 26_000, seen: NOW - 26_000 }).next).toEqual([
      'nothing has failed for 26 seconds; it ends after 60',
    ]);
  });

  it('names the server, and to bring it back', () => {
    const { command, line } = viewOf(redis).todo;
    expect(command).toBe('redis-cli -u redis://r1:6379 ping');
    expect(line).toMatch(/^bring that Redis back: /);
  });
});

describe('an incident of a source', () => {
  it('says to bring the service back, and speaks of nothing else', () =>
    expect(viewOf({}).todo.line).toBe('bring the service back; the gateway uses it again by itself.'));

  it('says whether each request asks it, or waits for a slot', () => {
    const saturated = { severity: 'warning', code: 'saturated', text: '39 calls wait' } as const;
    expect(viewOf({}).next[0]).toBe('its breaker is closed: each request asks it');
    expect(viewOf({}, { effects: [saturated] }).next[0]).toBe(
      'its breaker is closed, but all its slots are taken: requests wait for one, or get 503 overloaded',
    );
  });
});
