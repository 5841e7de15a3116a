import { setTimeout as sleep } from 'node:timers/promises';
import type { IncidentList, IncidentView } from '../../src/admin/api/incident-specs.ts';
import { type WorkerGateway, startWorkers } from '../support/gateway/worker-gateway.ts';
import { startForAll } from '../support/jest/lifetime.ts';
import { eventually } from '../support/time/eventually.ts';

const list = async ({ adminUrl }: Pick<WorkerGateway, 'adminUrl'>) =>
  (await (await fetch(`${adminUrl}/api/incidents`)).json()) as IncidentList;

async function start(): Promise<WorkerGateway & AsyncDisposable> {
  const gateway = await startWorkers(2);
  return { ...gateway, [Symbol.asyncDispose]: () => gateway.stop() };
}

/** Waits for an open incident that fits. */
const untilOpen = (gateway: WorkerGateway, fits: (one: IncidentView) => boolean) =>
  eventually(
    async () => {
      const { incidents, ...head } = await list(gateway);
      const found = incidents.find((one) => one.state === 'open' && fits(one));
      return found && { ...head, incident: found };
    },
    { withinMs: 30_000, everyMs: 200 },
  );

describe('a gateway of several workers', () => {
  // One for all that only add an incident: nothing is wrong before the first, and Redis is gone behind the last.
  const shared = startForAll(
    () => startWorkers(2),
    (one) => one.stop(),
  );

  it('has one incident of what all of them see, with their sums, which lasts while they do not answer', async () => {
    shared.users.ms = 1_200;
    const headers = { authorization: `Bearer ${shared.keys.roomy}` };
    const ask = (limit: number) => fetch(`${shared.url}/v1/users?limit=${limit}`, { headers });
    // No more at once than the source has slots for, so that none is refused while it waits.
    for (let limit = 1; limit <= 20; limit += 4)
      await Promise.all([limit, limit + 1, limit + 2, limit + 3].map(ask));
    const { incident, scope } = await untilOpen(shared, ({ calls }) => calls?.failed === 20);
    expect([incident.kind, incident.subject, scope]).toEqual(['slow', 'crm', 'fleet']);
    const workers = new Set(
      shared.logged(({ operation }) => operation === 'users.list').map(({ pid }) => pid),
    );
    for (const pid of workers) process.kill(pid, 'SIGSTOP');
    await sleep(4_000);
    const { incidents } = await list(shared);
    for (const pid of workers) process.kill(pid, 'SIGCONT');
    shared.users.ms = 0;
    expect(incidents.map(({ id, state }) => [id, state])).toEqual([[incident.id, 'open']]);
  }, 90_000);

  it('has an incident for a refused reload, with what changed before', async () => {
    shared.config.edit('portico.yaml', 'limits:', 'limitz:');
    const asked = Date.now();
    await shared.reload();
    const refused = Date.now();
    const { incident } = await untilOpen(shared, ({ kind }) => kind === 'config');
    expect(Date.parse(incident.since)).toBeGreaterThan(asked - 1_000);
    expect(Date.parse(incident.since)).toBeLessThan(refused + 1_000);
    expect(incident.before.changes.map(({ what }) => what)).toContainEqual(
      expect.stringContaining('reload refused'),
    );
  }, 90_000);

  it('says that its workers see it, while Redis is what is gone', async () => {
    await fetch(`${shared.url}/v1/users`, { headers: { authorization: `Bearer ${shared.keys.roomy}` } });
    await shared.redis.kill();
    const killed = Date.now();
    const { incident, scopeText } = await untilOpen(shared, ({ kind }) => kind === 'redis');
    expect(incident.subject).toBe('keys+limits+cache');
    expect(Math.abs(Date.parse(incident.since) - killed)).toBeLessThan(2_000);
    expect(scopeText).toBe('as the workers of this replica see it');
    expect(incident.next).toContainEqual(
      expect.stringMatching(/^keys that are known are served for at most \d+ seconds more$/),
    );
  }, 90_000);

  it('answers within three seconds while no worker answers, and says which do not', async () => {
    await using gateway = await start();
    await gateway.redis.kill();
    const { incident } = await untilOpen(gateway, ({ kind }) => kind === 'redis');
    const workers = gateway.logged(({ msg }) => msg === 'a worker serves').map(({ worker = 0 }) => worker);
    for (const pid of workers) process.kill(pid, 'SIGSTOP');
    const asked = performance.now();
    const [{ incidents, silent, scopeText }, overview] = await Promise.all([
      list(gateway),
      fetch(`${gateway.adminUrl}/api/overview`),
    ]);
    const tookMs = performance.now() - asked;
    for (const pid of workers) process.kill(pid, 'SIGCONT');
    expect(incidents.map(({ id, state }) => [id, state])).toEqual([[incident.id, 'open']]);
    const { todo } = incidents[0]!;
    expect(todo.line).not.toBe('');
    expect(silent.toSorted()).toEqual(workers.toSorted());
    expect(scopeText).toContain(`no answer from workers ${silent.join(', ')}`);
    expect(overview.status).toBe(200);
    expect(tookMs).toBeLessThan(3_500);
  }, 90_000);
});
