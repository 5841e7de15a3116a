import { answerOf, KEYS, startMigratingServices } from '../../support/migration/migrating-gateway.ts';
import type { LocalGateway } from '../../support/gateway/running-gateway.ts';
import { eventually } from '../../support/time/eventually.ts';
import { serving } from '../../support/upstream/scripted-upstream.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const CACHE = 'cache: { fresh: 1s, staleWhileRevalidate: 1h, staleIfError: 1h }';
const PATH = '/v1/users/user_1';

describe('a resource that moves and whose stale answers may be served', () => {
  const services = startForAll(startMigratingServices);

  const start = (stage: string) =>
    services.start(
      `{ source: crm, ${CACHE}, migration: { to: people, stage: ${stage}, shadow: { rate: 100 } } }`,
    );

  async function ask(gateway: LocalGateway) {
    const answer = await fetch(gateway.url + PATH, { headers: { 'x-api-key': KEYS.ana } });
    return { status: answer.status, body: await answer.text() };
  }

  it('has the refreshes of a question compared that is asked all the time', async () => {
    const gateway = await start('shadow');
    const areCompared = async () => {
      await ask(gateway);
      return (await gateway.counted('portico_migration_compare_total', 'verdict="match"')) >= 2;
    };
    await eventually(areCompared, { withinMs: 60_000, everyMs: 100 });
    expect(services.legacy.calls).toBeGreaterThan(1);
  });

  it('falls back where the new source fails, and counts it, instead of serving what is stale', async () => {
    const gateway = await start('live');
    const { status, body } = await ask(gateway);
    expect([status, services.next.calls > 0]).toEqual([200, true]);
    services.next.become(serving(() => ({ status: 500 })));
    const hasFallenBack = async () => {
      expect(await ask(gateway)).toEqual({ status, body });
      return (await gateway.counted('portico_migration_fallback_total', 'cause="failed"')) > 0;
    };
    await eventually(hasFallenBack, { withinMs: 10_000, everyMs: 100 });
    services.next.become(serving(({ path }) => answerOf(path)));
  });
});
