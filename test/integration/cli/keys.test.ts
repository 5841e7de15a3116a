import { Command } from 'commander';
import { parse } from 'yaml';
import { registerKeysCommand } from '../../../src/cli/gateway/keys.ts';
import { parseGateway } from '../../support/gateway/parse-gateway.ts';
import { parseApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { bearerCall } from '../../support/pipeline/call.ts';
import { openAdmission, PEPPER } from '../../support/gateway/admission.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { createKeyLastUsed } from '../../../src/store/key-last-used.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { eventually } from '../../support/time/eventually.ts';
import { useRedis } from '../../support/redis/redis-server.ts';

type Run = { readonly out: string; readonly err: string; readonly failure: string | undefined };

/** Runs `portico keys …` with a configuration, and says what it wrote and how it ended. */
async function runKeys(args: readonly string[], sections: object): Promise<Run> {
  let [out, err] = ['', ''];
  const program = new Command('portico').exitOverride().configureOutput({
    writeOut: (text) => void (out += text),
    writeErr: (text) => void (err += text),
  });
  registerKeysCommand(program, {
    loadConfig: () => Promise.resolve(parseGateway({ portico: 1, resources: {}, ...sections })),
    env: {},
    stop: new AbortController().signal,
    user: 'tester',
    instance: 'test',
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  const ended = program.parseAsync(['keys', ...args], { from: 'user' });
  const failure = await ended.then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  return { out, err, failure };
}

const auth = { apiKeys: { pepper: PEPPER.reveal() } };
const create = ['create', '--label', 'CRM', '--permissions', 'users:read,products:read'];
const keyIn = (text: string) => /ptk_\w+/.exec(text)?.[0] ?? '';

describe('portico keys on Redis', () => {
  const shared = useRedis();
  const run = (...args: string[]) =>
    runKeys(args, { auth, redis: { url: shared.url, prefix: shared.prefix } });

  async function statusOf(key: string, clock = createManualClock(Date.now())): Promise<number> {
    const gate = await openAdmission({ ...shared, clock });
    const status = await gate.statusOf(bearerCall(key));
    await gate.close();
    return status;
  }

  it('creates a key that works, shows its secret once, and lists it without', async () => {
    const { out } = await run(...create, '--expires', '90d');
    const key = keyIn(out);
    expect(await statusOf(key)).toBe(200);
    const { id } = parseApiKey(key)!;
    const listed = await run('list');
    expect(listed.out).toContain(id);
    expect(listed.out).toContain('users:read,products:read');
    expect(listed.out).not.toContain(key.split('_')[2]);
    expect(await statusOf(key, createManualClock(Date.now() + 91 * 86_400_000))).toBe(401);
  });

  it('answers in JSON', async () => {
    const created = JSON.parse((await run(...create, '--json')).out);
    expect(created).toMatchObject({
      label: 'CRM',
      permissions: ['users:read', 'products:read'],
      tier: 'standard',
    });
    const listed = (await run('list', '--json')).out;
    expect(JSON.parse(listed)).toEqual([expect.objectContaining({ id: created.id, secrets: 1 })]);
    expect(listed).not.toMatch(/hash|ptk_/);
  });

  it('rotates: both secrets work until the overlap ends', async () => {
    const old = keyIn((await run(...create)).out);
    const { id } = parseApiKey(old)!;
    const key = keyIn((await run('rotate', id, '--overlap', '1h')).out);
    expect(parseApiKey(key)).toEqual({ id });
    expect([await statusOf(old), await statusOf(key)]).toEqual([200, 200]);
    const later = () => createManualClock(Date.now() + 3_600_000);
    expect([await statusOf(old, later()), await statusOf(key, later())]).toEqual([401, 200]);
  });

  it('rotates twice: the oldest secret ends at once, so that at most two are valid', async () => {
    const first = keyIn((await run(...create)).out);
    const { id } = parseApiKey(first)!;
    const second = keyIn((await run('rotate', id, '--overlap', '1h')).out);
    const third = keyIn((await run('rotate', id, '--overlap', '10h')).out);
    const later = () => createManualClock(Date.now() + 2 * 3_600_000);
    const statuses = [first, second, third].map((key) => statusOf(key, later()));
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
    expect(JSON.parse((await run('show', id, '--json')).out)).toMatchObject({ secrets: 2 });
    expect((await run('show', id)).out).toContain('2; the old one works until');
  });

  it('rotates without overlap: the old secret ends at once', async () => {
    const old = keyIn((await run(...create)).out);
    const key = keyIn((await run('rotate', parseApiKey(old)!.id, '--overlap', '0s')).out);
    expect([await statusOf(old), await statusOf(key)]).toEqual([401, 200]);
  });

  it('revokes for good', async () => {
    const key = keyIn((await run(...create)).out);
    const { id } = parseApiKey(key)!;
    expect((await run('revoke', id)).out).toContain('revoked');
    expect(await statusOf(key)).toBe(401);
    expect((await run('rotate', id)).failure).toContain('is revoked');
    expect((await run('revoke', id)).failure).toBeUndefined();
  });

  it('says when a key was last used after each change of it, too', async () => {
    const { id } = parseApiKey(keyIn((await run(...create)).out))!;
    const gate = await openAdmission(shared);
    const uses = createKeyLastUsed(gate.redis.client, createRedisKeys(shared.prefix).apiKeyUses);
    await uses.write(new Map([[id, Date.parse('2026-01-31T09:05:00Z')]]));
    await gate.close();
    for (const change of [
      ['update', id, '--label', 'CRM 2'],
      ['revoke', id],
    ])
      expect((await run(...change)).out).toMatch(/^last used +2026-01-31T09:05:00/m);
    const rotated = parseApiKey(keyIn((await run(...create)).out))!.id;
    expect((await run('update', rotated, '--label', 'x')).out).toMatch(/^last used +never/m);
  });

  it('refuses to make or rotate a key under a pepper that no running gateway has', async () => {
    const first = parseApiKey(keyIn((await run(...create)).out))!.id;
    const gate = await openAdmission(shared);
    const sections = { redis: { url: shared.url, prefix: shared.prefix } };
    const other = { auth: { apiKeys: { pepper: 'another pepper of sixteen' } }, ...sections };
    await eventually(async () => (await gate.redis.client.hlen(`${shared.prefix}api-keys-used`)) > 0);
    for (const words of [create, ['rotate', first]])
      expect((await runKeys(words, other)).failure).toMatch(/no running gateway has this pepper.*--gateway/s);
    expect((await run(...create)).failure).toBeUndefined();
    await gate.close();
  });

  it.each(['', '  '])('refuses the empty label %j, of a new key and of one that is there', async (label) => {
    const { id } = parseApiKey(keyIn((await run(...create)).out))!;
    for (const words of [
      ['create', '--permissions', 'users:read'],
      ['update', id],
    ])
      expect((await run(...words, '--label', label)).failure).toContain('label: ');
  });

  it('names damaged records', async () => {
    const { id } = parseApiKey(keyIn((await run(...create)).out))!;
    const gate = await openAdmission(shared);
    await gate.redis.client.set(`${shared.prefix}api-key:${id}`, '{');
    await gate.close();
    expect((await run('list')).err).toContain(id);
    expect((await run('revoke', id)).failure).toContain('damaged');
  });

  it.each([
    [['revoke', 'nobody'], 'no key in Redis has the id nobody'],
    [['rotate', 'nobody'], 'no key in Redis has the id nobody'],
    [[...create, '--tier', 'gone'], 'there is no tier gone\n    hint: tiers: standard'],
    [['create', '--label', 'x', '--permissions', 'everything'], 'expected a permission such as users:read'],
    [
      ['create', '--label', 'x', '--permissions', 'users:read,product:read'],
      'there is no permission product:read\n    hint: did you mean products:read? permissions: users:read, products:read',
    ],
    [['create', '--permissions', 'users:read'], '--label'],
    [[...create, '--expires', 'soon'], 'Write a duration'],
    [[...create, '--expires', '999999999d'], 'write a duration'],
    [[...create, '--operations', 'users.lst'], 'did you mean users.list? operations: users.list, users.get'],
    [[...create, '--addresses', '10.0.0.0/40'], 'expected an address or a range'],
    [['update', 'nobody1', '--label', 'x'], 'no key in Redis has the id nobody1'],
    [['update', 'nobody1'], 'name what is to change'],
    [['create', '--label', 'a\u001b[2J', '--permissions', 'users:read'], 'printable'],
  ])('fails on %j with what is wrong', async (args, problem) => {
    expect((await run(...args)).failure).toContain(problem);
  });
});

describe('portico keys without Redis', () => {
  it('prints a key and its entry for the configuration, which then accepts it', async () => {
    const { out } = await runKeys([...create, '--print', '--expires', '90d'], { auth });
    expect(out).toContain('only the lines from "keys" on go there, below the pepper');
    const entry = parse(out.slice(out.indexOf('auth:')));
    const [record] = parseGateway({
      portico: 1,
      resources: {},
      auth: { apiKeys: { ...auth.apiKeys, ...entry.auth.apiKeys } },
    }).auth.apiKeys!.keys;
    expect(record).toMatchObject({
      id: parseApiKey(keyIn(out))?.id,
      label: 'CRM',
      permissions: ['users:read', 'products:read'],
    });
    const again = await runKeys([...create, '--print', '--json'], { auth });
    expect(JSON.parse(again.out)).toMatchObject({ hash: expect.stringMatching(/^[\w-]{43}$/) });
  });

  it('quotes whatever the label holds', async () => {
    const label = 'a: "b" # c \\ é';
    const { out } = await runKeys(['create', '--label', label, '--permissions', 'users:read', '--print'], {
      auth,
    });
    expect(parse(out.slice(out.indexOf('auth:'))).auth.apiKeys.keys[0].label).toBe(label);
  });

  it('says what is missing', async () => {
    expect((await runKeys(create, { auth })).failure).toContain('--print');
    expect((await runKeys([...create, '--print'], {})).failure).toContain('auth.apiKeys.pepper');
    expect((await runKeys(['list'], { auth })).failure).toContain('redis.url');
  });

  it('gives up on a Redis that cannot be reached, and says why', async () => {
    const { failure, err } = await runKeys(['list'], { auth, redis: { url: 'redis://127.0.0.1:1' } });
    expect(failure).toBe('Redis cannot be reached');
    expect(err).toContain('ECONNREFUSED');
  });
});
