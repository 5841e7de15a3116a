import type { ActionValue } from '../../src/admin/api/action-table.ts';
import { readAuditLine } from '../../src/store/audit/audit-entry.ts';
import { eventually } from '../support/time/eventually.ts';
import { checkedFetch } from '../support/client/openapi-check.ts';
import { startLoad } from '../support/client/keep-alive-load.ts';
import { startWorkers } from '../support/gateway/worker-gateway.ts';
import { startForAll } from '../support/jest/lifetime.ts';

const gateway = startForAll(() => startWorkers(2));

const openapi = () => `${gateway.url}/v1/openapi.json`;
const bearer = (key: string) => ({ authorization: `Bearer ${key}`, connection: 'close' });
/** Each over a connection of its own. */
const ask = (query: string, key = gateway.keys.roomy) =>
  checkedFetch(`${gateway.url}/v1/users?${query}`, { headers: bearer(key) });
const firstName = async (answer: Response) =>
  ((await answer.json()) as { data: { name: string }[] }).data[0]?.name;
/** The workers that have answered something of late, by their lines in the log. */
const pidsOf = (operation: string) =>
  new Set(gateway.logged((line) => line.operation === operation).map(({ pid }) => pid));

describe('two workers on one port', () => {
  it('share the connections, and have common metrics', async () => {
    const answers = Array.from({ length: 24 }, () => fetch(openapi(), { headers: { connection: 'close' } }));
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(await gateway.counted('portico_requests_total', 'operation="openapi"')).toBe(24);
    expect(await gateway.counted('portico_workers', 'phase="serving"')).toBe(2);
    expect(await gateway.counted('portico_build_info')).toBe(1);
    await eventually(() => gateway.logged(({ operation }) => operation === 'openapi').length === 24);
    expect(pidsOf('openapi').size).toBe(2);
    expect(await gateway.isReady()).toBe(true);
  });

  it('hold one limit together: of sixty requests exactly the limit is accepted', async () => {
    const answers = Array.from({ length: 60 }, () => ask('limit=2', gateway.keys.few));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    const counted = (wanted: number) => statuses.filter((status) => status === wanted).length;
    expect({ accepted: counted(200), refused: counted(429) }).toEqual({ accepted: 25, refused: 35 });
  });

  it('make no more concurrent calls to the source than net.concurrency', async () => {
    Object.assign(gateway.users, { ms: 20, most: 0 });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => ask(`limit=${at + 10}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(gateway.users.most).toBeLessThanOrEqual(3);
    gateway.users.ms = 0;
  });

  it('both drop what the operator purges, and the audit counts what both held', async () => {
    const asked = () => Promise.all(Array.from({ length: 16 }, async () => firstName(await ask('limit=2'))));
    expect(new Set(await asked())).toEqual(new Set(['Ada X']));
    gateway.users.name = 'Eve';
    const purge = await fetch(`${gateway.adminUrl}/api/cache/purge?tag=users`, { method: 'POST' });
    const { purged, reached } = (await purge.json()) as ActionValue<'cache.purge'>;
    expect([purged, reached]).toMatchObject(['users', { processes: 2 }]);
    const audit = await fetch(`${gateway.adminUrl}/api/audit`);
    const line = ((await audit.json()) as ActionValue<'audit'>).lines.at(-1) ?? '';
    expect(readAuditLine(line)).toMatchObject({ action: 'cache.purge', target: 'users', after: { reached } });
    await eventually(async () => !new Set(await asked()).has('Ada X'));
    expect(new Set(await asked())).toEqual(new Set(['Eve X']));
  });

  it('tell the operator which claims are disabled, and believe them again', async () => {
    expect(await (await fetch(`${gateway.adminUrl}/api/claims`)).json()).toEqual({ disabled: [] });
    const reset = await fetch(`${gateway.adminUrl}/api/claims/reset`, { method: 'POST' });
    expect(await reset.json()).toEqual({ reset: [] });
  });

  it('all swap to a changed configuration in place: none is replaced, and no request fails', async () => {
    expect((await ask('limit=500')).status).toBe(400);
    const load = startLoad(openapi(), 20);
    await load.more(100);
    const edit = (from: string, to: string) => gateway.config.edit('portico.yaml', from, to);
    edit('passthrough:', 'contract: { limitOverflow: clamp }\n\npassthrough:');
    const { status, outcome } = await gateway.reload();
    expect([status, outcome.kind, outcome.waitingFor]).toEqual([200, 'applied', 0]);
    expect(outcome.processes.map(({ pid }) => pid).sort()).toEqual(
      gateway
        .logged(({ msg }) => msg === 'a worker serves')
        .map(({ worker }) => worker)
        .sort(),
    );
    expect(new Set(outcome.processes.map(({ digest }) => digest))).toEqual(new Set([outcome.digest]));
    const answers = await Promise.all(Array.from({ length: 8 }, async () => (await ask('limit=500')).status));
    expect(new Set(answers)).toEqual(new Set([200]));
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(gateway.logged(({ msg }) => msg === 'a worker has left')).toEqual([]);
    expect(await gateway.counted('portico_config_info', `digest="${outcome.digest}"`)).toBe(1);
    expect(await gateway.counted('portico_config_info')).toBe(1);
  });

  it('refuse a broken configuration together, and go on with the one before', async () => {
    gateway.config.edit('portico.yaml', 'limitOverflow: clamp', 'limitOverflow: clamps');
    gateway.process.signal('SIGHUP');
    const { problems } = await gateway.untilLogged(({ problems }) => problems !== undefined);
    expect(problems?.join('\n')).toMatch(/portico\.yaml:\d+:\d+: contract\.limitOverflow: /);
    expect(await gateway.counted('portico_config_reloads_total', 'outcome="refused"')).toBe(1);
    expect(await gateway.counted('portico_config_stale')).toBe(1);
    expect((await ask('limit=500')).status).toBe(200);
  });

  it('lose only the connections of one that is killed, and start another with the configuration in force', async () => {
    const [victim] = gateway.logged(({ msg }) => msg === 'a worker serves').map(({ worker }) => worker!);
    const before = await gateway.counted('portico_requests_total');
    const load = startLoad(openapi(), 20, { undaunted: true });
    await load.more(200);
    process.kill(victim!, 'SIGKILL');
    await gateway.untilLogged(({ msg, worker }) => msg === 'a worker has died' && worker === victim);
    // Every client, those included whose connections were on their way to it, goes on.
    await load.more(200);
    await load.stop();
    expect(load.failures.length).toBeLessThanOrEqual(20);
    expect(load.failures.filter((how) => how !== 'ECONNRESET' && how !== 'EPIPE')).toEqual([]);
    await eventually(async () => (await gateway.counted('portico_workers', 'phase="serving"')) === 2, {
      withinMs: 60_000,
    });
    expect(await gateway.isReady()).toBe(true);
    expect(await gateway.counted('portico_requests_total')).toBeGreaterThan(before);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => (await ask('limit=500')).status));
    expect(new Set(answers)).toEqual(new Set([200]));
  });

  it('end with their primary, even when that is killed', async () => {
    gateway.process.signal('SIGKILL');
    // Its output ends when the last process closes it.
    expect(await gateway.process.ended).toEqual({ code: null, signal: 'SIGKILL' });
    await expect(fetch(openapi())).rejects.toThrow();
  });
});
