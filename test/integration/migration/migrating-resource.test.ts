import { answerOf, KEYS, startMigratingServices } from '../../support/migration/migrating-gateway.ts';
import type { LocalGateway } from '../../support/gateway/running-gateway.ts';
import { eventually } from '../../support/time/eventually.ts';
import { serving } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';

/** Nothing is compared in the background, because calls of the sources are counted. */
const MIGRATING =
  '{ source: crm, cache: { fresh: 0s, notFound: 0s }, migration: { to: people, stage: STAGE, shadow: { rate: 0 } } }';
const migrating = (stage: string) => MIGRATING.replace('STAGE', stage);

/** Headers that say when an answer was made, or to whom. */
const UNSTABLE = /^(?:date|x-request-id|ratelimit|age|cache-status|cache-control|keep-alive|connection)/;

async function ask(gateway: LocalGateway, path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(gateway.url + path, { headers: { 'x-api-key': KEYS.ana, ...headers } });
  const names = [...answer.headers].filter(([name]) => !UNSTABLE.test(name));
  return { status: answer.status, headers: names, body: await answer.text() };
}

/** The parts of an answer that do not depend on the source or the moment. The id of the request is cut from the body. */
const stable = ({ body, ...rest }: Awaited<ReturnType<typeof ask>>) => ({
  ...rest,
  body: body.replace(/req_[\w-]+/, 'req_'),
});

describe('a resource that moves', () => {
  const services = startForAll(startMigratingServices);
  const plain = startForAll(() => services.start('{ source: crm, cache: { fresh: 0s, notFound: 0s } }'));
  const live = startForAll(() => services.start(migrating('live')));
  beforeEach(() => {
    for (const upstream of [services.legacy, services.next])
      upstream.become(serving(({ path }) => answerOf(path)));
  });

  it('is answered by the new source in live, with the bytes and headers that the legacy source gave', async () => {
    for (const path of ['/v1/users', '/v1/users?sort=-name', '/v1/users/user_2', '/v1/users?page=9']) {
      const before = stable(await ask(plain, path));
      const calls = services.next.calls;
      expect(stable(await ask(live, path))).toEqual(before);
      expect(services.next.calls).toBeGreaterThan(calls);
    }
  });

  it('says in its log and its metrics who was chosen, and in no header', async () => {
    const { headers } = await ask(live, '/v1/users/user_1');
    expect(JSON.stringify(headers)).not.toMatch(/legacy|people|portico-origin/i);
    expect(await live.counted('portico_migration_requests_total', 'origin="new"')).toBeGreaterThan(0);
    expect(await live.counted('portico_migration_stage', 'operation="users.get"')).toBe(3);
    await eventually(() => live.log.some((line) => line.includes('"origin":"new"')));
  });

  it('is answered by the legacy source where the new one fails or has no such record, and nobody notices', async () => {
    const path = '/v1/users/user_3';
    const before = stable(await ask(plain, path));
    for (const [reply, cause] of [
      [{ status: 500 }, 'failed'],
      [{ status: 404, body: {} }, 'missing'],
      [{ body: { no: 3 }, headers: { 'content-type': 'text/html' } }, 'invalid'],
    ] as const) {
      services.next.become(serving(() => reply));
      const counted = () => live.counted('portico_migration_fallback_total', `cause="${cause}"`);
      const earlier = await counted();
      expect(stable(await ask(live, path))).toEqual(before);
      expect(await counted()).toBe(earlier + 1);
      await eventually(() => live.log.some((line) => line.includes(`"fallback":"${cause}"`)));
    }
  });

  it('is the 404 of both sources where neither has the record, and no fallback', async () => {
    const path = '/v1/users/user_77';
    const counted = () => live.counted('portico_migration_fallback_total');
    const earlier = await counted();
    expect(stable(await ask(live, path))).toEqual(stable(await ask(plain, path)));
    expect(await counted()).toBe(earlier);
  });

  it('lets only a caller with the permission choose, and passes the choice on to nobody', async () => {
    const header = { 'X-Portico-Origin': 'legacy' };
    const asked = () => services.legacy.calls;
    const before = asked();
    await ask(live, '/v1/users/user_1', header);
    expect(asked()).toBe(before);
    await ask(live, '/v1/users/user_1', { ...header, 'x-api-key': KEYS.tester });
    expect(asked()).toBe(before + 1);
    await ask(live, '/orders', { ...header, 'x-api-key': KEYS.tester });
    const { headers } = services.legacy.requests.at(-1)!;
    expect(headers['x-portico-origin']).toBeUndefined();
  });

  it('is read past the cache for a caller who chooses, and keeps nothing for others', async () => {
    const cached = await services.start(
      '{ source: crm, cache: { fresh: 1h }, migration: { to: people, stage: live } }',
    );
    const path = '/v1/users/user_2';
    const choosing = { 'X-Portico-Origin': 'new', 'x-api-key': KEYS.tester };
    const named = (name: string) => services.next.become(serving(() => ({ body: { no: 2, name } })));
    const nameOf = async (headers: Record<string, string>) =>
      (JSON.parse((await ask(cached, path, headers)).body) as { data: { name: string } }).data.name;
    named('first');
    expect(await nameOf(choosing)).toBe('first');
    named('second');
    expect([await nameOf({}), await nameOf(choosing)]).toEqual(['second', 'second']);
    named('third');
    expect([await nameOf({}), await nameOf(choosing)]).toEqual(['second', 'third']);
    services.next.become(serving(() => ({ status: 404, body: {} })));
    expect((await ask(cached, path, choosing)).status).toBe(404);
  });

  it('is answered by the new source alone once it is complete, as by a file without the migration', async () => {
    const complete = await services.start(migrating('complete'));
    const moved = await services.start('{ source: people, cache: { fresh: 0s, notFound: 0s } }');
    const before = services.legacy.calls;
    services.next.become(serving(({ path }) => (path === '/users' ? { status: 500 } : answerOf(path))));
    for (const path of ['/v1/users/user_1', '/v1/users/user_88', '/v1/users'])
      expect(stable(await ask(complete, path))).toEqual(stable(await ask(moved, path)));
    expect(services.legacy.calls).toBe(before);
  });

  it('counts a new source that nobody reaches apart from one that fails', async () => {
    const alone = endAfterTest(await startMigratingServices());
    const gateway = await alone.start(migrating('live'));
    await alone.next.close();
    expect((await ask(gateway, '/v1/users/user_1')).status).toBe(200);
    expect(await gateway.counted('portico_migration_fallback_total', 'cause="connect"')).toBe(1);
  });
});
