import { createPeopleService } from '../../../src/cli/demo/people-service.ts';
import { sampleCredentials } from '../../../src/cli/demo/serve.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { fewUsers } from '../../support/gateway/sample-services.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { startForAll } from '../../support/jest/lifetime.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

const people = startForAll(async () => {
  const service = createPeopleService({ users: fewUsers, credentials: sampleCredentials.people });
  const { url } = await service.listen(0);
  return { url, close: () => service.close() };
});
const redis = startForAll(startRedis);
const TOKENS = { ana: 'the-token-of-ana-in-the-tests', bea: 'the-token-of-bea-in-the-tests' };

/** A gateway of the fleet, at which each step forward needs a second person. */
const gateways = (['one', 'two'] as const).map((instance) =>
  startForAll(() =>
    startStack({
      ...{ configFile: 'config/demo.yaml', env: { PEOPLE_URL: people.url }, instance },
      redis: { url: redis.url, prefix: 'portico:' },
      configure({ admin, resources: { users } }) {
        admin.tokens = Object.entries(TOKENS).map(([name, token]) => ({
          ...{ name, role: 'operator', token: new Secret(token), hash: undefined },
        }));
        if (users?.migration !== undefined) users.migration.approvals = 1;
      },
    }),
  ),
);

/** Runs `portico migration` with these words, at a gateway of the fleet. */
const as = (who: keyof typeof TOKENS, ...words: string[]) =>
  runCommand(
    [
      ...['--config', 'config/demo.yaml', 'migration', ...words],
      ...['--gateway', gateways[who === 'ana' ? 0 : 1]!.adminUrl],
    ],
    { PORTICO_ADMIN_TOKEN: TOKENS[who] },
  );

async function statusOf(): Promise<Record<string, unknown>> {
  return JSON.parse((await as('bea', 'status', 'users', '--json')).out) as Record<string, unknown>;
}

// One migration goes its way through these tests, in their order.
describe('a step that a second person approves', () => {
  it('waits for an operator other than the one who asks, and is then taken by the whole fleet', async () => {
    expect((await as('ana', 'approve', 'users')).err).toContain('no step waits for an approval');
    expect((await as('ana', 'create', 'users')).code).toBe(0);
    const asked = await as('ana', 'shadow', 'users', '--reason', 'wave 1');
    expect(asked).toMatchObject({ code: 0, out: expect.stringContaining('shadow waits until ') });
    expect(await statusOf()).toMatchObject({ stage: 'legacy', pending: { to: 'shadow', by: 'ana' } });
    const own = await as('ana', 'approve', 'users');
    expect(own).toMatchObject({ code: 1, err: expect.stringContaining('ana has asked for this step') });
    const approved = await as('bea', 'approve', 'users', '--reason', 'looked at it');
    expect(approved.err).toMatch(/^ {2}shadow waits until .*; ana has asked for it: wave 1\n$/);
    expect(approved.out).toMatch(/^users: shadow \(rev \d+\), in 2 of 2 processes after/);
    expect(await statusOf()).toMatchObject({ stage: 'shadow', pending: null });
  });

  it('says who has asked and who has approved in the audit', async () => {
    const headers = { authorization: `Bearer ${TOKENS.bea}` };
    const answer = await fetch(`${gateways[1]!.adminUrl}/api/audit`, { headers });
    const { lines } = (await answer.json()) as { lines: string[] };
    const steps = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ action }) => action === 'migrations.stage' || action === 'migrations.approve');
    expect(steps).toMatchObject([
      { actor: 'ana', outcome: expect.stringContaining('refused: no step waits') },
      { actor: 'ana', reason: 'wave 1', after: { stage: 'legacy', pending: 'shadow, asked for by ana' } },
      { actor: 'ana', outcome: expect.stringContaining('refused: ana has asked for this step') },
      { actor: 'bea', reason: 'looked at it', outcome: 'done', after: { stage: 'shadow' } },
    ]);
  });

  it('is named by its rev, so that no other step is taken for it', async () => {
    const headers = { authorization: `Bearer ${TOKENS.bea}`, 'content-type': 'application/json' };
    const url = `${gateways[1]!.adminUrl}/api/migrations/users/approve`;
    const answer = await fetch(url, { method: 'POST', headers, body: '{"reason":"blind"}' });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('rev')]);
  });

  it('needs nobody else on the way back, which ends what waits', async () => {
    const forced = ['ramp', 'users', '--percent', '100', '--force', '--reason', 'x'];
    expect((await as('bea', ...forced)).out).toContain('ramp:100 waits until ');
    const back = (await as('bea', 'rollback', 'users')).out;
    expect(back).toMatch(/^users: legacy.*\nthe step to ramp:100 that bea has asked for waits no more\n/s);
    expect(await statusOf()).toMatchObject({ stage: 'legacy', pending: null });
  });
});
