import { KEYS, startMigratingServices } from '../../support/migration/migrating-gateway.ts';
import { eventually } from '../../support/time/eventually.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const USERS =
  '{ source: crm, cache: { fresh: 1h }, migration: { to: people, stage: shadow, shadow: { timeout: 5s } } }';
const numbers = Array.from({ length: 10 }, (_, index) => index + 1);
const PATHS = [
  ...numbers.slice(0, 3).map((number) => `/v1/users/user_${number}`),
  ...numbers.map((limit) => `/v1/users?limit=${limit}`),
];

describe('a shadow that warms the cache of the new source', () => {
  const services = startForAll(startMigratingServices);
  const gateway = startForAll(() => services.start(USERS));

  async function get(path: string) {
    const answer = await fetch(gateway.url + path, { headers: { 'x-api-key': KEYS.ana } });
    return { status: answer.status, body: await answer.text() };
  }

  async function operate(action: string, input: object): Promise<void> {
    const answer = await fetch(`${gateway.adminUrl}/api/migrations/users/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'a test', ...input }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** Has both sources checked, as every migration begins. */
  async function begin(): Promise<void> {
    await operate('tasks', { task: 'create' });
    await eventually(async () => {
      const { rev } = (await (await fetch(`${gateway.adminUrl}/api/migrations/users`)).json()) as {
        rev: number;
      };
      return rev > 0;
    });
  }

  const toAll = () => operate('stage', { stage: 'ramp', percent: 100, force: true });
  const chosenNew = () => gateway.counted('portico_migration_requests_total', 'origin="new"');

  /** Asks until an answer was compared and equal. A process that is busy compares nothing: then it asks something else. */
  async function compareOne() {
    const left = [...PATHS];
    return eventually(
      async () => {
        const path = left.shift() ?? '/none';
        const shadows = () => gateway.counted('portico_migration_shadow_total');
        const before = await shadows();
        const { body } = await get(path);
        await eventually(async () => (await shadows()) > before);
        const matches = await gateway.counted('portico_migration_compare_total', 'verdict="match"');
        return matches > 0 && { path, body };
      },
      { withinMs: 60_000, everyMs: 500 },
    );
  }

  it('has the first caller of the ramp served without a call to that source, and none after a rollback', async () => {
    await begin();
    const { path, body } = await compareOne();
    await toAll();
    const calls = () => [services.legacy.calls, services.next.calls];
    const [legacyCalls = 0, nextCalls = 0] = calls();
    expect(await get(path)).toEqual({ status: 200, body });
    expect([await chosenNew(), ...calls()]).toEqual([1, legacyCalls, nextCalls]);

    await operate('rollback', {});
    await operate('resume', {});
    await toAll();
    expect(await get(path)).toEqual({ status: 200, body });
    expect([await chosenNew(), services.next.calls]).toEqual([2, nextCalls + 1]);
  });
});
