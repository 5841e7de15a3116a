import { createPeopleService } from '../../../src/cli/demo/people-service.ts';
import { sampleCredentials } from '../../../src/cli/demo/serve.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { fewUsers } from '../../support/gateway/sample-services.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const people = startForAll(() =>
  createPeopleService({ users: fewUsers, credentials: sampleCredentials.people }),
);
const redis = startForAll(startRedis);
const stack = startForAll(async () => {
  const { url: PEOPLE_URL } = await people.listen(0);
  return startStack({
    ...{ configFile: 'config/demo.yaml', env: { PEOPLE_URL }, redis: { url: redis.url, prefix: 'portico:' } },
    configure({ resources: { users } }) {
      if (users?.migration === undefined) return;
      users.migration.gate.soak = 3_600_000;
      users.migration.steps = [1, 5, 100];
    },
  });
});

/** Runs `portico migration` with these words. */
const migration = (...words: string[]) =>
  runCommand(['--config', 'config/demo.yaml', 'migration', ...words, '--gateway', stack.adminUrl]);

async function statusOf(): Promise<Record<string, unknown>> {
  const { code, out } = await migration('status', 'users', '--json');
  expect(code).toBe(0);
  return JSON.parse(out) as Record<string, unknown>;
}

// One migration goes its way through these tests, in their order.
describe('portico migration', () => {
  it('does not begin before create, and says what to write', async () => {
    expect(await migration('shadow', 'users')).toMatchObject({
      code: 1,
      err: expect.stringContaining('hint: portico migration create users'),
    });
    expect(await migration('create', 'users')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^create by \S+ done at \S+: same \d+, asked 20\n$/),
    });
  });

  it('prints one document with every field that others rely on', async () => {
    expect((await migration('shadow', 'users')).code).toBe(0);
    const status = await statusOf();
    expect(status).toMatchObject({
      ...{ resource: 'users', rev: 2, stage: 'shadow', percent: 0, hold: null, lastRollback: null },
      gate: { next: 'ramp:1', ready: false, unmet: expect.any(Array) },
      compare: expect.any(Object),
      fallback: expect.any(Object),
      replicas: { total: 1, atRev: 1, stale: [] },
      notes: [expect.stringContaining('these gates are for a demonstration, not for production')],
    });
    const { out } = await migration('status', 'users');
    expect(out).toContain('users: crm -> people, shadow since ');
    expect(out).toContain('Next: ramp:1, not ready\n  soak ');
    const soakEnds = new Date(Date.parse(String(status['since'])) + 3_600_000).toISOString();
    expect(status['gate']).toMatchObject({ earliestAt: soakEnds });
    expect(out).toContain(`\n  at the earliest at ${soakEnds}\n`);
    expect(out).toContain('not for production');
  });

  it('ends with 1 where a gate refuses, and says what is missing in both forms', async () => {
    const { code, err } = await migration('ramp', 'users');
    expect([code, err]).toEqual([1, expect.stringMatching(/the gate is not ready: .*soak: \d+s, needs 1h/)]);
    const { out } = await migration('ramp', 'users', '--json');
    expect(JSON.parse(out)).toMatchObject({
      error: { code: 'gate', unmet: expect.arrayContaining([expect.objectContaining({ id: 'soak' })]) },
    });
  });

  it('forces a step with a reason, rolls back, and says how many processes have it after how long', async () => {
    expect((await migration('ramp', 'users', '--percent', '5', '--force')).code).toBe(64);
    const forced = await migration('ramp', 'users', '--percent', '5', '--force', '--reason', 'a test');
    expect(forced).toMatchObject({ code: 0, out: expect.stringContaining('users: ramp at 5 % (rev 3)') });
    const back = await migration('rollback', 'users', '--reason', 'odd');
    expect(back.out).toMatch(/^users: shadow \(rev 4\), in 1 of 1 processes after \d+ ms\n$/);
    expect(await statusOf()).toMatchObject({ hold: { reason: 'rolled back (asked): odd' } });
    expect((await migration('resume', 'users', '--ack', 'mended')).code).toBe(0);
  });

  it('moves one operation apart, and only where the rev is as said', async () => {
    const words = ['ramp', 'users', '--operation', 'users.get', '--percent', '1', '--force', '--reason', 'x'];
    expect((await migration(...words, '--rev', '1')).code).toBe(1);
    expect((await migration(...words, '--rev', '5')).code).toBe(0);
    expect(await statusOf()).toMatchObject({ operations: { 'users.get': { stage: 'ramp', percent: 1 } } });
  });

  it('keeps a rule, shows it, and takes it away', async () => {
    const made = await migration(
      ...['ignore', 'users', 'data.name', '--until', '2099-01-31', '--reason', 'trimmed', '--json'],
    );
    const { rule } = JSON.parse(made.out) as { rule: { id: string } };
    expect((await migration('rules', 'users')).out).toContain(rule.id);
    expect((await migration('acknowledge', 'users', rule.id)).code).toBe(0);
    expect((await migration('rules', 'users', '--remove', rule.id)).code).toBe(0);
    expect(await statusOf()).toMatchObject({ rules: [], acknowledged: [] });
  });

  it('keeps a rule for a hint alone, and refuses a hint that it does not know', async () => {
    const words = ['ignore', 'users', 'data.name', '--until', '2099-01-31', '--reason', 'x', '--hint'];
    const made = await migration(...words, 'whitespace', '--json');
    const { rule } = JSON.parse(made.out) as { rule: { id: string; hint: string } };
    expect(rule.hint).toBe('whitespace');
    expect((await migration('rules', 'users')).out).toMatch(/data\.name +whitespace/);
    expect((await migration('rules', 'users', '--remove', rule.id)).code).toBe(0);
    expect((await migration(...words, 'cents')).code).toBe(64);
    expect((await migration(...words, 'whitespce')).err).toContain('hint: did you mean "whitespace"?');
  });

  it('explains a list with the id of each record that differs', async () => {
    const { code, out } = await migration('explain', 'users', 'limit=100', '--reason', 'a test');
    expect(code).toBe(0);
    expect(out).toMatch(/^ID +PATH +KIND +LEGACY +NEW\n/);
    expect(out).toMatch(/^user_\d+ +data\[\]\.name +value +"/m);
  });

  it('says whom a share reaches, by the labels of their keys, and refuses one that reaches nobody', async () => {
    await stack.get('/v1/users?limit=3');
    const { out } = await migration('preview', 'users', '--percent', '0.01', '--json');
    const { least, ...preview } = JSON.parse(out) as { least: number };
    expect(preview).toMatchObject({
      ...{ percent: 0.01, callers: 1, reached: 0, callsPercent: 0 },
      largest: [{ label: 'everything', callsPercent: 100, isReached: false }],
    });
    const refused = await migration('ramp', 'users', '--percent', '0.01');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('reach: 0 of 1 callers') });
    expect(refused.err).toContain(
      `portico migration ramp users --percent ${least}; or name callers in allow`,
    );
  });

  it('answers every command that only reads in JSON', async () => {
    await stack.get('/v1/users?limit=3');
    for (const words of [
      ['list'],
      ['diffs', 'users'],
      ['preview', 'users', '--percent', '5'],
      ['report', 'users'],
    ]) {
      const { code, out } = await migration(...words, '--json');
      expect([words, code, typeof JSON.parse(out)]).toEqual([words, 0, 'object']);
    }
  });

  it('ends with 64 for wrong words, 69 where nobody answers, and 78 where no migration is declared', async () => {
    expect((await migration('ramp', 'users', '--percent', 'many')).code).toBe(64);
    expect((await migration('status', 'products')).code).toBe(78);
    const nobody = ['--config', 'config/demo.yaml', 'migration', 'status', 'users', '--gateway'];
    expect((await runCommand([...nobody, 'http://127.0.0.1:1'])).code).toBe(69);
  });

  it('is in the audit with the state before and after, and the reason', async () => {
    const lines = (await (await fetch(`${stack.adminUrl}/api/audit`)).json()) as { lines: string[] };
    const forced = lines.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(forced).toContainEqual(
      expect.objectContaining({
        ...{ action: 'migrations.stage', target: 'users', reason: 'a test', outcome: 'done' },
        before: expect.objectContaining({ stage: 'shadow', rev: 2 }),
        after: expect.objectContaining({ stage: 'ramp', percent: 5, rev: 3 }),
      }),
    );
  });
});
