import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { startVisitorService } from '../../claims/credential/visitor-service.ts';
import { SERVICE_KEY } from '../../claims/harness/start-service.ts';
import { sourceText } from '../../claims/harness/source-file.ts';
import { shapes } from '../../claims/harness/traits.ts';
import { PEPPER, type Stack, startStack } from '../../support/gateway/stack.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { eventually } from '../../support/time/eventually.ts';
import { createFolder } from '../../support/process/folder.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';

const USERS = 137;
const spec = { shape: 'offset users', auth: 'header', shown: 'page', sees: 'fewer' } as const;

const folder = startForEach(() => createFolder('proof'));
const redis = startForEach(startRedis);
const service = startForEach(() => startVisitorService(spec));
beforeEach(() => {
  mkdirSync(join(folder.path, 'sources'));
  const source = parse(sourceText(shapes[spec.shape], service.origin)) as Record<string, unknown>;
  const proof = { request: { path: '/me' }, at: 'login' };
  const auth = { kind: 'header', name: 'X-Key', value: SERVICE_KEY, proof };
  writeFileSync(join(folder.path, 'sources', 'draft.yaml'), stringify({ ...source, auth }));
  const gateway = {
    portico: 1,
    listen: { host: '127.0.0.1', port: 0 },
    admin: { port: 0 },
    auth: { apiKeys: { pepper: '${PORTICO_KEY_PEPPER}' } },
    redis: { url: '${REDIS_URL:-}' },
    resources: { users: { source: 'draft', cache: { fresh: '10m', notFound: '10m' } } },
  };
  writeFileSync(join(folder.path, 'portico.yaml'), stringify(gateway));
});

async function open(): Promise<Stack> {
  const configFile = join(folder.path, 'portico.yaml');
  const shared = { url: redis.url, prefix: 'portico:' };
  return endAfterTest(await startStack({ configFile, upstream: service.origin, redis: shared }));
}

/** The status of a page, with its total where it has one. */
async function ask(stack: Stack, page: number): Promise<readonly (number | undefined)[]> {
  const answer = await stack.get(`/v1/users?limit=7&page=${page}`);
  const { meta } = (await answer.json()) as { meta?: { total: number } };
  return [answer.status, meta?.total];
}

describe('a credential that the service takes for a visitor', () => {
  it('ends the answers of every gateway on one Redis, and their cached ones, until it is known again', async () => {
    const [first, other] = [await open(), await open()];
    for (const stack of [first, other]) expect(await ask(stack, 1)).toEqual([200, USERS]);
    service.kill(true);
    expect(await ask(first, 2)).toEqual([502, undefined]);
    for (const stack of [first, other])
      await eventually(async () => (await ask(stack, 1))[0] === 502, { withinMs: 2_000 });
    // Calls that are kept back are failures of the source, too.
    for (const stack of [first, other])
      expect(
        await stack.counted('portico_upstream_calls_total', 'outcome="not_sent"', 'failure="credential"'),
      ).toBeGreaterThan(0);
    const { out } = await runCommand(['--config', join(folder.path, 'portico.yaml'), 'claims'], {
      ...{ PORTICO_KEY_PEPPER: PEPPER, REDIS_URL: redis.url },
    });
    expect(out).toContain('auth.proof');
    service.revive();
    for (const stack of [first, other])
      await eventually(async () => (await ask(stack, 1))[0] === 200, { withinMs: 20_000, everyMs: 100 });
  }, 60_000);

  it('asks for the proof once for all gateways while nothing is disabled', async () => {
    const [first, other] = [await open(), await open()];
    for (const page of [1, 3, 5]) {
      expect(await ask(first, page)).toEqual([200, USERS]);
      expect(await ask(other, page + 1)).toEqual([200, USERS]);
    }
    // Each of them before its first answer.
    expect(service.proofs).toBe(2);
  });
});
