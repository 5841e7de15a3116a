import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IncidentList, IncidentView } from '../../../src/admin/api/incident-specs.ts';
import type { Overview } from '../../../src/admin/api/metric-specs.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import {
  openIncidents as open,
  readOperator as read,
  USERS_PATH as PATH,
} from '../../support/gateway/read-incidents.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { hurry } from '../../support/gateway/operation-cases.ts';
import { type Stack, startStack, USERS_KEY } from '../../support/gateway/stack.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { type FaultName, startFailingUpstream } from '../../support/upstream/failing-upstream.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { crmList } from '../../support/upstream/scripts.ts';

const redis = startForAll(startRedis);
const asUser = { headers: { authorization: `Bearer ${USERS_KEY}` } };

describe('an incident', () => {
  it.each<[FaultName, string]>([
    ['refuses connections', 'connection refused'],
    ['answers 500', 'answers 500'],
    ['resets the connection', 'connection reset'],
    ['says nothing', 'no answer in time'],
    ['refuses the credential with 401', "refuses Portico's credential (401)"],
    ['answers with JSON of another shape', 'replies of another shape (no outcome rule fits)'],
  ])('of a source that %s says: %s', async (kind, cause) => {
    const upstream = endAfterTest(await startFailingUpstream(kind));
    const stack = endAfterTest(await startStack({ upstream: upstream.origin, configure: hurry }));
    const began = Date.now();
    for (let count = 0; count < 24; count += 1) await stack.get(PATH);
    const [incident] = await open(stack);
    expect(incident).toMatchObject({ kind: 'source', subject: 'crm', cause, severity: 'critical' });
    expect(Math.abs(Date.parse(incident?.since ?? '') - began)).toBeLessThan(2_000);
    expect(incident?.answers.failed).toBe(24);
    expect(incident?.operations).toEqual([{ name: 'users.list', failed: 24 }]);
    expect(incident?.callers).toEqual([{ id: 'everything', label: 'everything', failed: 24 }]);
  });
});

/** Two gateways on one Redis, in front of one user service, with a receiver of webhooks, on a clock that can be set. */
async function startFleet() {
  const prefix = `fleet-${randomUUID()}:`;
  const [told, asked]: [unknown[], number[]] = [[], []];
  let [isFailing, status] = [false, 500];
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs, monotonic: () => performance.now() };
  const receiver = endAfterTest(
    await startUpstream(
      serving(({ body }) => {
        told.push(JSON.parse(body));
        return { body: {} };
      }),
    ),
  );
  const upstream = endAfterTest(
    await startUpstream(
      serving((request) => {
        if (!isFailing) return crmList(request, 'Ada');
        asked.push(clock.now());
        return { status, body: {} };
      }),
    ),
  );
  const start = async () =>
    endAfterTest(
      await startStack({
        upstream: upstream.origin,
        redis: { url: redis.url, prefix },
        clock,
        configure(config, sources) {
          config.webhooks = [
            {
              url: receiver.origin,
              secret: new Secret('of the test'),
              events: ['incident.opened', 'incident.worsened', 'incident.ended'],
            },
          ];
          for (const { net } of sources) net.retries.max = 0;
          for (const { net } of sources) net.breaker.calls = 10_000;
          for (const resource of Object.values(config.resources)) resource.cache.fresh = 0;
        },
      }),
    );
  const stacks = [await start(), await start()] as const;
  return {
    stacks,
    told: told as { type: string; data: Record<string, unknown> }[],
    asked,
    /** Has the user service fail with a status. With 200, its replies have another shape. */
    fail: (next: boolean, by = 500): void => void ([isFailing, status] = [next, by]),
    passTime: (ms: number): void => void (aheadMs += ms),
  };
}

describe('the incident of a fleet', () => {
  it('is one, with the counts of all, and is told once as it opens and once as it ends', async () => {
    const { stacks, told, asked, fail, passTime } = await startFleet();
    const [one, other] = stacks;
    fail(true);
    await Promise.all(
      stacks.map(async (stack) => {
        for (let count = 0; count < 30; count += 1) await stack.get(PATH);
      }),
    );
    for (let count = 0; count < 10; count += 1) await other.get(PATH, asUser);
    fail(false);
    const [first, second] = await eventually(async () => {
      const [[first], [second]] = [await open(one), await open(other)];
      return first?.answers.failed === 70 && second?.answers.failed === 70 && ([first, second] as const);
    });
    expect(second.id).toBe(first.id);
    expect(first.calls?.failed).toBe(asked.length);
    expect(Math.abs(Date.parse(first.since) - (asked[0] ?? 0))).toBeLessThan(2_000);
    expect(first.callers.map(({ id, failed }) => [id, failed])).toEqual([
      ['everything', 60],
      ['usersonly', 10],
    ]);
    expect((await read<IncidentList>(one, 'incidents')).scope).toBe('fleet');
    await eventually(() => told.length === 1);
    passTime(61_000);
    await eventually(() => told.length === 2);
    await sleep(3_000);
    expect(told.map(({ type, data }) => [type, data['id'], data['cause']])).toEqual([
      ['incident.opened', first.id, 'answers 500'],
      ['incident.ended', first.id, 'answers 500'],
    ]);
    expect(await open(other)).toEqual([]);
  });

  it('that opens again by another status tells both runs, on the page, in the terminal and by webhook', async () => {
    const { stacks, told, fail, passTime } = await startFleet();
    const askAll = () =>
      Promise.all(
        stacks.map(async (stack) => {
          for (let count = 0; count < 30; count += 1) await stack.get(PATH);
        }),
      );
    fail(true);
    await askAll();
    const toldAs = (event: string) => told.filter(({ type }) => type === `incident.${event}`);
    await eventually(() => toldAs('opened').length === 1);
    passTime(180_000);
    await eventually(() => toldAs('ended').length === 1);
    fail(true, 503);
    await askAll();
    const causes = ['answers 503', 'answers 500'];
    const runsOf = ({ runs = [] }: Pick<IncidentView, 'runs'> = {}) =>
      runs.map(({ cause, failed }) => [cause, failed]);
    await eventually(async () => {
      for (const stack of stacks)
        expect(runsOf((await open(stack))[0])).toEqual(causes.map((cause) => [cause, 60]));
      return true;
    });
    const again = await eventually(() => toldAs('opened')[1]);
    expect(runsOf(again.data).map(([cause]) => cause)).toEqual(causes);
    const [first] = stacks;
    const { out } = await runCommand([
      ...['status', '--gateway', first.adminUrl],
      ...['--id', String(again.data['id'])],
    ]);
    for (const cause of causes) expect(out.replaceAll(/\s+/g, ' ')).toContain(`: ${cause}, 60 failed`);
  });

  it('comes first among what needs attention, and what it explains is its effect', async () => {
    const { stacks, fail } = await startFleet();
    const [one] = stacks;
    fail(true);
    for (let count = 0; count < 30; count += 1) await one.get(PATH);
    await sleep(600);
    const { attention } = await read<Overview>(one, 'overview');
    const [incident] = await open(one);
    expect(attention.map(({ code, incident: id }) => [code, id])).toEqual([['incident', incident?.id]]);
    expect(incident?.effects.map(({ code }) => code)).toContain('source_failing');
    expect(await read(one, `incidents/${incident?.id ?? ''}`)).toMatchObject({
      incident: { id: incident?.id },
    });
  });
});

describe('portico status', () => {
  const run = (stack: Stack, ...more: readonly string[]) =>
    runCommand(['status', '--gateway', stack.adminUrl, ...more]);

  it('ends with 0 if nothing is wrong, and with 2 if something is critical', async () => {
    const { stacks, fail } = await startFleet();
    const [one] = stacks;
    expect(await run(one)).toMatchObject({ code: 0, out: expect.stringContaining('no incident') });
    fail(true);
    for (let count = 0; count < 30; count += 1) await one.get(PATH);
    const { code, out } = await run(one);
    expect(code).toBe(2);
    for (const label of ['since', 'fault', 'requests', 'callers', 'before', 'next', 'to do', 'over?'])
      expect(out).toContain(`  ${label} `);
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    const json = JSON.parse((await run(one, '--json')).out) as IncidentList;
    expect(json.incidents).toHaveLength(1);
  });

  it('ends with 69 if nothing answers, and with 64 for an unknown option', async () => {
    const codes = [['--gateway', 'http://127.0.0.1:1'], ['--nothing']].map(
      async (args) => (await runCommand(['status', ...args])).code,
    );
    expect(await Promise.all(codes)).toEqual([69, 64]);
  });
});
