import { deflateRawSync } from 'node:zlib';
import { openFleet } from '../../../src/store/fleet/fleet.ts';
import { createFleetTurns } from '../../../src/store/fleet/fleet-turns.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import type { FleetIncident, GatewayIncidents } from '../../../src/telemetry/incidents/fleet-incidents.ts';
import type { Incident } from '../../../src/telemetry/incidents/incident.ts';
import { startForAll } from '../../support/jest/lifetime.ts';
import { connectRedis } from '../../support/redis/connect-redis.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

const NOW = 1_700_000_040_000;
const MINUTE = NOW / 60_000;
const keys = createRedisKeys('portico:');
const server = startForAll(startRedis);
const redis = startForAll(() => connectRedis(server.url));
beforeEach(() => redis.client.flushall());

const clock = { now: () => NOW };
const fleetTurns = createFleetTurns(undefined, clock.now);
const logged: object[] = [];
const log = { warn: (fields: object) => void logged.push(fields) };
beforeEach(() => void logged.splice(0));
const open = () => openFleet({ redis, keys, clock, fleetTurns, log });

const nothing = { failed: 0, total: 0 };
const incident: Incident = {
  ...{ kind: 'source', subject: 'crm', cause: 'answers 500', severity: 'warning', isOpen: true },
  ...{ since: NOW - 9_000, last: NOW - 1_000, seen: NOW - 1_000, reopened: 0, notSent: 0 },
  ...{ calls: { failed: 5, total: 5 }, answers: nothing, otherCallers: 0 },
  ...{ callers: {}, labels: {}, operations: {}, hosts: {} },
};
const process = { process: 'one:1', version: '1.0.0', startedAt: NOW - 60_000, incidents: [incident] };
const seen = { gateway: 'one', at: NOW, processes: [process] };
const known: FleetIncident = { ...incident, id: 'source-crm-1', starts: [], told: {} };

/** JSON that is no state of a gateway, and no incident. */
const FOREIGN = [
  ...['null', '7', '"text"', 'true', '[]', '[null]', '{}', '{', '', '{"at":null}'],
  `{"at":${NOW}}`,
  JSON.stringify({ ...seen, gateway: 'x', processes: {} }),
  JSON.stringify({ ...seen, gateway: 'x', at: 1e300 }),
  JSON.stringify({ ...seen, gateway: { toString: 1 } }),
];

/** Incidents of which something is of another kind. */
const FOREIGN_INCIDENTS = [
  ...[null, 7, [], {}, 'text'],
  { ...known, kind: 'of a newer version' },
  { ...known, since: 1e300 },
  { ...known, calls: { failed: '5', total: 5 } },
  { ...known, hosts: { 'a:1': null } },
];

describe('what the gateways see of incidents', () => {
  it.each(FOREIGN)('is read where one of them is %s', async (text) => {
    await open().writeIncidents(seen);
    await redis.client.hset(keys.incidents(MINUTE), 'foreign', deflateRawSync(text));
    expect(await open().seenIncidents()).toEqual([seen]);
  });

  it('is read but for the processes and incidents that are none', async () => {
    const incidents = [...FOREIGN_INCIDENTS, incident] as Incident[];
    const processes = [null, { ...process, startedAt: 1e300 }, { ...process, incidents }];
    await open().writeIncidents({ ...seen, processes } as GatewayIncidents);
    expect(await open().seenIncidents()).toEqual([seen]);
  });

  it('is read where a value is not packed, or the key of the minute before has another type', async () => {
    await open().writeIncidents(seen);
    await redis.client.hset(keys.incidents(MINUTE), 'foreign', 'not packed');
    await redis.client.set(keys.incidents(MINUTE - 1), 'a text');
    expect(await open().seenIncidents()).toEqual([seen]);
  });
});

/** What a gateway of 16 workers sees: 12 incidents, each with the failed answers of 50 callers at two hosts. */
function crowded(callerOf: (worker: number, caller: number) => string): GatewayIncidents {
  const incidentsOf = (worker: number) =>
    Array.from({ length: 12 }, (_, subject) => ({
      ...{ ...incident, subject: `source-${subject}`, answers: { failed: 150, total: 150 } },
      callers: Object.fromEntries(
        Array.from({ length: 50 }, (_one, caller) => [callerOf(worker, caller).padEnd(60, '-'), 3]),
      ),
      hosts: { 'a:1': { failed: 5, total: 5 }, 'b:1': nothing },
    }));
  const workers = Array.from({ length: 16 }, (_, worker) => ({
    ...{ ...process, process: `one:${worker}`, incidents: incidentsOf(worker) },
  }));
  return { ...seen, processes: workers };
}

describe('what a gateway sees of incidents, where it is too long', () => {
  it.each([
    ['the same callers', (_worker: number, caller: number) => `caller-${caller}`, 50],
    ['other callers', (worker: number, caller: number) => `caller-${worker}-${caller}`, 50],
    ['other callers with long names', (...of: number[]) => `caller-${of.join('-')}`.padEnd(1_000, 'é'), 10],
  ])(
    'is told all the same where each worker has %s, with all counts, and is logged',
    async (_, callerOf, listed) => {
      await open().writeIncidents(crowded(callerOf));
      const [told] = await open().seenIncidents();
      expect(told?.processes).toHaveLength(16);
      const incidents = told?.processes.flatMap((one) => one.incidents) ?? [];
      expect(incidents).toHaveLength(12);
      for (const { isOpen, calls, answers, callers, otherCallers } of incidents) {
        expect({ isOpen, calls, answers }).toEqual({
          ...{ isOpen: true, calls: { failed: 80, total: 80 }, answers: { failed: 2_400, total: 2_400 } },
        });
        const counts = Object.values(callers);
        expect(counts).toHaveLength(listed);
        expect(counts.reduce((sum, count) => sum + count, otherCallers)).toBe(2_400);
      }
      expect(logged).toEqual([{ bytes: expect.any(Number), max: 400_000 }]);
    },
  );

  it('is logged where nothing of it can be told', async () => {
    await open().writeState('x'.repeat(400_001));
    expect(await open().readStates()).toEqual([]);
    expect(logged).toEqual([{ bytes: 400_001, max: 400_000 }]);
  });
});

describe('what a fleet knows of incidents', () => {
  it.each(FOREIGN)('is nothing where it is %s', async (text) => {
    await redis.client.set(keys.incidents('known'), text);
    expect(await open().knownIncidents()).toEqual([]);
  });

  it('is what it can read', async () => {
    await open().keepIncidents([...FOREIGN_INCIDENTS, known] as FleetIncident[]);
    expect(await open().knownIncidents()).toEqual([known]);
  });

  it('is nothing where the key has another type, and is kept again', async () => {
    await redis.client.lpush(keys.incidents('known'), 'one');
    expect(await open().knownIncidents()).toEqual([]);
    await open().keepIncidents([known]);
    expect(await open().knownIncidents()).toEqual([known]);
  });
});
