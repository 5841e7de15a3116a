import { Redis } from 'ioredis';
import type { IncidentList } from '../../../src/admin/api/incident-specs.ts';
import { answerOf, sourceOf, storedUser } from '../../claims/fields/field-service.ts';
import { startGateway } from '../../support/gateway/start-gateway.ts';
import type { LocalGateway } from '../../support/gateway/running-gateway.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';

/** The incident of a lost field that a gateway lists. */
async function fieldIncident({ adminUrl }: LocalGateway) {
  const answer = await fetch(`${adminUrl}/api/incidents`);
  const { incidents } = (await answer.json()) as IncidentList;
  return incidents.find(({ kind }) => kind === 'field');
}

let isRenamed = false;
const clock = createManualClock();
const users = Array.from({ length: 120 }, (_, n) => storedUser(n + 1));
const renamed = users.map(({ mail, ...user }) => ({ ...user, eMail: mail }));

const redis = startForEach(startRedis);
const upstream = startForEach(() =>
  startUpstream(serving((request) => answerOf('json', isRenamed ? renamed : users, request))),
);
beforeEach(() => {
  isRenamed = false;
});

/** A gateway on the Redis; `webhook` is told. */
async function open(webhook?: string, moves = ''): Promise<LocalGateway> {
  const config = `redis: { url: '${redis.url}' }
webhooks: [${webhook === undefined ? '' : `{ url: '${webhook}', secret: a-secret-of-the-tests, events: [field.lost, field.restored] }`}]
resources:
  users: { source: people, public: true, deadline: 60s, cache: { fresh: 0s, notFound: 0s }${moves} }
`;
  const people = sourceOf('json', upstream.origin);
  const sources = { 'people.yaml': people, 'next.yaml': people.replace('name: people', 'name: next') };
  return endAfterTest(await startGateway({ sources, config, clock }));
}

const ask = (gateway: LocalGateway, path = '/v1/users?limit=100') =>
  fetch(gateway.url + path).then((answer) => answer.text());
const alarms = (gateway: LocalGateway) =>
  gateway.counted('portico_source_field_alarm', 'field="email"', 'kind="gone"');
const isRaised = (gateway: LocalGateway) => eventually(async () => (await alarms(gateway)) === 1);
const isOver = (gateway: LocalGateway) => eventually(async () => (await alarms(gateway)) === 0);

/** Has the turns of looks given back, which last by Redis' own clock. */
async function endTurns(): Promise<void> {
  const client = new Redis(redis.url);
  for (const key of await client.keys('*:look')) await client.del(key);
  await client.quit();
}

describe('a field that records suddenly lack', () => {
  it('is told in the log, the metrics, by webhook, on the overview and by the quality, in every gateway', async () => {
    const events: { type: string; data: Record<string, unknown> }[] = [];
    const receiver = endAfterTest(
      await startUpstream(
        serving(({ body }) => {
          events.push(JSON.parse(body) as (typeof events)[number]);
          return { status: 204 };
        }),
      ),
    );
    const [gateway, other] = [await open(receiver.origin), await open()];
    await ask(gateway);
    isRenamed = true;
    await ask(gateway);
    await Promise.all([isRaised(gateway), isRaised(other)]);
    const line = gateway.log.find((text) => text.includes('suddenly have no email')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      ...{ level: 50, source: 'people', resource: 'users', field: 'email', kind: 'gone' },
      ...{ file: 'people.yaml', shareNow: 1, shareBefore: 0 },
    });
    expect((JSON.parse(line) as { line: number }).line).toBeGreaterThan(10);
    await eventually(async () => {
      const overview = await (await fetch(`${gateway.adminUrl}/api/overview`)).text();
      return overview.includes('"critical","code":"incident"') && overview.includes('PorticoFieldLost');
    });
    expect(await (await fetch(`${gateway.adminUrl}/api/quality`)).text()).toContain('100 % of 100 records');
    isRenamed = false;
    await ask(gateway);
    await Promise.all([isOver(gateway), isOver(other)]);
    await eventually(() => events.length === 2);
    const told = { source: 'people', resource: 'users', field: 'email', kind: 'gone' };
    expect(events.map(({ type }) => type)).toEqual(['field.lost', 'field.restored']);
    for (const { data } of events) expect(data).toMatchObject(told);
  });

  it('is an incident since the first record that lacked it, though a few show nothing yet', async () => {
    const gateway = await open();
    await ask(gateway);
    clock.advance(10_000);
    isRenamed = true;
    const began = clock.now();
    await ask(gateway, '/v1/users?limit=10');
    clock.advance(20_000);
    await ask(gateway);
    await isRaised(gateway);
    const incident = await eventually(() => fieldIncident(gateway));
    expect(incident).toMatchObject({ subject: 'people users.email', severity: 'critical' });
    expect(Date.parse(incident.since)).toBe(began);
  });

  it.each([
    ['', ''],
    [', while a migration is declared', ', migration: { to: next }'],
  ])('is an incident that names the callers who read it%s', async (_when, moves) => {
    const gateway = await open(undefined, moves);
    await ask(gateway);
    isRenamed = true;
    await ask(gateway);
    await isRaised(gateway);
    const callers = await eventually(async () => {
      await ask(gateway, '/v1/users?limit=10');
      const found = (await fieldIncident(gateway))?.callers ?? [];
      return found.length > 0 && found;
    });
    expect(callers.map(({ id }) => id)).toEqual(['anonymous']);
  });

  it('is an incident that counts the answers with null alone, though it is open for longer', async () => {
    const gateway = await open();
    await ask(gateway);
    isRenamed = true;
    await ask(gateway);
    await isRaised(gateway);
    const told = async () => (await fieldIncident(gateway))?.operations[0]?.failed ?? 0;
    /** How many of a hundred answers, with too few records to show that the values are back, have null. */
    const lackingOf100 = async () => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => ask(gateway, '/v1/users?limit=10')),
      );
      return answers.filter((answer) => answer.includes('"email":null')).length;
    };
    const before = await eventually(async () => {
      await ask(gateway, '/v1/users?limit=10');
      const count = await told();
      return count > 0 && count;
    });
    const lacking = await lackingOf100();
    isRenamed = false;
    expect([lacking, await lackingOf100(), await alarms(gateway)]).toEqual([100, 0, 1]);
    await eventually(async () => (await told()) >= before + lacking);
    expect((await told()) - before - lacking).toBeLessThanOrEqual(2);
  });

  it('is told by a gateway that starts after the key was renamed', async () => {
    const before = await open();
    await ask(before, '/v1/users/user_1');
    clock.advance(46_000);
    await ask(before, '/v1/users/user_1');
    const client = new Redis(redis.url);
    await eventually(async () => (await client.keys('*:left')).length === 1);
    await client.quit();
    await before.close();
    await endTurns();
    isRenamed = true;
    const after = await open();
    await ask(after, '/v1/users/user_1');
    await isRaised(after);
  });

  it('is accepted by a reset, in every gateway, and for the looks to come', async () => {
    const [gateway, other] = [await open(), await open()];
    await ask(gateway);
    clock.advance(46_000);
    await ask(gateway);
    await eventually(() => upstream.calls >= 4);
    isRenamed = true;
    await ask(gateway);
    await Promise.all([isRaised(gateway), isRaised(other)]);
    const reset = await fetch(`${gateway.adminUrl}/api/claims/reset?source=people&claim=field.email.gone`, {
      method: 'POST',
    });
    expect(reset.status).toBe(200);
    await Promise.all([isOver(gateway), isOver(other)]);
    await endTurns();
    clock.advance(60_000);
    const calls = upstream.calls;
    for (const one of [gateway, other, gateway, other]) await ask(one);
    await eventually(() => upstream.calls >= calls + 6);
    await ask(gateway);
    expect([await alarms(gateway), await alarms(other)]).toEqual([0, 0]);
  });
});
