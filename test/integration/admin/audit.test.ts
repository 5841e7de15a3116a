import { Redis } from 'ioredis';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAuditLine } from '../../../src/store/audit/audit-entry.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { PEPPER, startStack } from '../../support/gateway/stack.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { createFolder } from '../../support/process/folder.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const TOKEN = 'the-token-of-ada-the-operator';

const folder = startForAll(() => createFolder('audit'));
const redis = startForAll(startRedis);
const client = startForAll(() => new Redis(redis.url));
const start = () =>
  startStack({ redis: { url: redis.url, prefix: 'portico:' }, env: { ADMIN_TOKEN: TOKEN } });
const stacks = startForAll(() => Promise.all([start(), start()]));

const own = () => ({ REDIS_URL: redis.url, PORTICO_KEY_PEPPER: PEPPER });
/** Runs a command on Redis itself, or through the listener of a gateway, without the pepper or Redis at hand. */
const portico = (...args: readonly string[]) => runCommand(args, own());
const through = (at: number, ...args: readonly string[]) =>
  runCommand([...args, '--gateway', stacks[at]!.adminUrl], { PORTICO_ADMIN_TOKEN: TOKEN });
const create = ['keys', 'create', '--label', 'x', '--permissions', 'users:read', '--json'];

async function purge(at: number, tag: string): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const url = `${stacks[at]!.adminUrl}/api/cache/purge?tag=${tag}`;
  return (await fetch(url, { method: 'POST', headers })).status;
}

const entries = async () => {
  const { out, code } = await portico('audit', '--json');
  expect(code).toBe(0);
  return out.split('\n').flatMap((line) => readAuditLine(line) ?? []);
};

describe('the audit of two gateways on one Redis', () => {
  it('has a line for each change, by command and by listener, with who, what, before, after and why', async () => {
    const made = JSON.parse((await portico(...create)).out) as { id: string; key: string };
    expect((await through(0, 'keys', 'update', made.id, '--label', 'y', '--reason', 'ticket 7')).code).toBe(
      0,
    );
    expect((await through(1, 'keys', 'revoke', made.id)).code).toBe(0);
    expect(await purge(0, 'users')).toBe(200);
    expect(await purge(0, 'usres')).toBe(400);
    const lines = await entries();
    expect(lines).toMatchObject([
      { number: 1, actor: 'command:tester', action: 'keys.create', target: made.id, previous: '' },
      {
        actor: 'admin',
        action: 'keys.update',
        reason: 'ticket 7',
        before: { label: 'x' },
        after: { label: 'y' },
      },
      { actor: 'admin', action: 'keys.revoke', before: { state: 'valid' }, after: { state: 'revoked' } },
      { action: 'cache.purge', target: 'users', outcome: 'done' },
      { action: 'cache.purge', target: 'usres', outcome: 'refused: no answer has the tag usres' },
    ]);
    const logged = stacks.flatMap(({ log }) => log).filter((line) => line.includes('"audit":true'));
    expect(logged).toHaveLength(4);
    const all = JSON.stringify(lines) + logged.join('');
    for (const secret of [made.key, made.key.slice(17), TOKEN, PEPPER, 'hash'])
      expect(all).not.toContain(secret);
  });

  it('has no number of answers where a command purged on Redis itself, which says that it cannot count them', async () => {
    const { code, out } = await portico('cache', 'purge', '--tag', 'user:42');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^purged: users:42\n.*not counted here; with --gateway/),
    ]);
    expect((await through(0, 'cache', 'purge', '--tag', 'user:42')).out).toBe(
      'purged: users:42\nusers:42: 0 answers and 0 scan caches in the memory of 1 processes\n',
    );
    const lines = await entries();
    expect(lines.at(-1)).toMatchObject({
      after: { reached: { processes: 1, answers: 0, scanCaches: 0 } },
    });
    const line = lines.at(-2);
    expect(line).toMatchObject({ actor: 'command:tester', action: 'cache.purge', target: 'users:42' });
    expect(line?.after).toBeUndefined();
    const asJson = await portico('cache', 'purge', '--tag', 'user:42', '--tag', 'users', '--json');
    expect(asJson.out).toBe('{"purged":["users:42","users"]}\n');
  });

  it('is one unbroken chain, although both gateways write at the same time', async () => {
    const before = (await entries()).length;
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, n) => purge(n % 2, 'products')));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { code, out } = await portico('audit', '--verify');
    expect([code, out]).toEqual([0, expect.stringMatching(`^lines 1 to ${before + 60} are intact`)]);
  });

  it('shows people what is different, and only what is asked for', async () => {
    const { out } = await through(0, 'audit', '--since', '1h');
    expect(out).toMatch(/admin {2}keys\.update {2}\w+ {2}done {2}label: "x" → "y" {2}because: ticket 7/);
    expect((await portico('audit', '--since', '2999-01-01T00:00:00Z')).out).toBe('nothing was changed\n');
    expect((await portico('audit', '--since', 'yesterday')).err).toContain('write 24h, 7d or');
  });

  it('shows that a line was changed, left out or put in', async () => {
    const kept = await client.lrange('portico:audit', 0, -1);
    const restore = async (lines: readonly string[]) => {
      await client.del('portico:audit');
      await client.rpush('portico:audit', ...lines);
    };
    const forged = kept.with(2, kept[2]!.replace('keys.revoke', 'keys.show'));
    for (const lines of [forged, kept.toSpliced(2, 1), kept.toSpliced(2, 0, kept[1]!)]) {
      await restore(lines);
      expect(await portico('audit', '--verify')).toMatchObject({
        code: 1,
        out: expect.stringContaining('does not fit'),
      });
    }
    await restore(kept.slice(5));
    const verified = await portico('audit', '--verify', '--json');
    expect(JSON.parse(verified.out)).toMatchObject({ chain: { kind: 'intact', first: 6 } });
    expect((await portico('audit', '--verify')).out).toContain('lines 6 to');
    await restore(kept);
  });

  it('survives the loss of Redis by what `audit --json` wrote, and is put before no other line', async () => {
    const before = (await portico('audit', '--json')).out;
    const file = join(folder.path, 'audit.jsonl');
    writeFileSync(file, before);
    await client.flushall();
    expect((await portico('audit', 'restore', file)).code).toBe(0);
    const { out } = await portico('audit', '--json');
    expect(out.startsWith(before)).toBe(true);
    expect(out.slice(before.length)).toContain('"action":"audit.restore"');
    expect((await portico('audit', '--verify')).code).toBe(0);
    expect((await portico('audit', 'restore', file)).err).toContain('Redis has an audit already');
    writeFileSync(file, before.replace('keys.revoke', 'keys.show'));
    expect((await portico('audit', 'restore', file)).err).toContain('nothing was restored');
  });

  it('waits in the process where Redis is away, and is in the log at once', async () => {
    await redis.kill();
    expect(await purge(0, 'users')).toBe(503);
    const line = stacks[0].log.findLast((one) => one.includes('"audit":true')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      kept: false,
      action: 'cache.purge',
      outcome: expect.stringContaining('refused: the Redis of the role cache failed'),
    });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const metrics = await (await fetch(`${stacks[0].adminUrl}/api/metrics`, { headers })).text();
    expect(metrics).toMatch(/^portico_audit_lines_total\{outcome="waiting"\} [1-9]/m);
  });
});
