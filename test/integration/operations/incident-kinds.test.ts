import { setTimeout as sleep } from 'node:timers/promises';
import type { IncidentList, IncidentView } from '../../../src/admin/api/incident-specs.ts';
import type { Overview } from '../../../src/admin/api/metric-specs.ts';
import { startIssuer } from '../../support/auth/issuer-server.ts';
import {
  openIncidents as open,
  readOperator as read,
  USERS_PATH as PATH,
} from '../../support/gateway/read-incidents.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { crmList } from '../../support/upstream/scripts.ts';

/** Asks for users, so often, and waits until the incident of this kind is open. */
async function untilOpen(
  stack: Stack,
  kind: IncidentView['kind'],
  count = 30,
  path = PATH,
): Promise<IncidentView> {
  for (let at = 0; at < count; at += 1) await stack.get(path);
  return eventually(async () => (await open(stack)).find((one) => one.kind === kind));
}

describe('an incident of another kind', () => {
  it('is a source that answers, but late', async () => {
    const upstream = endAfterTest(
      await startUpstream(
        serving(async (request) => {
          await sleep(60);
          return crmList(request, 'Ada');
        }),
      ),
    );
    const stack = endAfterTest(
      await startStack({
        upstream: upstream.origin,
        configure(config) {
          config.admin.slowRequests = 50;
          for (const resource of Object.values(config.resources)) resource.cache.fresh = 0;
        },
      }),
    );
    expect(await untilOpen(stack, 'slow')).toMatchObject({ subject: 'crm', severity: 'warning' });
  });

  it('is one of three hosts of a source, by its name', async () => {
    const hosts = await Promise.all(
      [0, 1, 2].map(async () =>
        endAfterTest(await startUpstream(serving((request) => crmList(request, 'Ada')))),
      ),
    );
    const stack = endAfterTest(
      await startStack({
        upstream: hosts[0]?.origin ?? '',
        configure(config, sources) {
          for (const { net } of sources) net.otherUrls = hosts.slice(1).map(({ origin }) => origin);
          for (const resource of Object.values(config.resources)) resource.cache.fresh = 0;
        },
      }),
    );
    await hosts[2]?.down();
    const { text, hosts: named } = await untilOpen(stack, 'source', 60);
    const dead = new URL(hosts[2]?.origin ?? '').host;
    expect(text).toContain(`connection refused at ${dead} since`);
    expect(named[0]).toMatchObject({ host: dead });
    expect(named).toHaveLength(3);
  });

  it('is the issuer of tokens, and whose tokens are refused for it', async () => {
    const issuer = await startIssuer();
    const stack = endAfterTest(
      await startStack({
        upstream: 'http://127.0.0.1:1',
        configure(config) {
          const { jwksUrl, issuer: name, audience } = issuer;
          const settings = {
            issuer: name,
            audience,
            jwksUrl,
            algorithms: ['EdDSA'],
            clockTolerance: 5,
          } as const;
          const claims = { permissionsClaim: 'scope', tier: 'roomy', keysFresh: 1_000, keysStale: 60_000 };
          config.auth.jwt = { ...settings, algorithms: [...settings.algorithms], ...claims };
        },
      }),
    );
    const headers = { authorization: `Bearer ${await issuer.token('EdDSA')}` };
    await issuer.close();
    const found = await eventually(
      async () => {
        await stack.get(PATH, { headers });
        return (await open(stack)).find(({ kind }) => kind === 'issuer');
      },
      { withinMs: 15_000, everyMs: 400 },
    );
    expect(found).toMatchObject({
      subject: 'auth.jwt',
      cause: 'connection refused',
      severity: 'critical',
      fault: 'issuer',
    });
  });

  it('is a Redis that is gone, as this replica sees it', async () => {
    const own = endAfterTest(await startRedis());
    const stack = endAfterTest(await startStack({ redis: { url: own.url, prefix: 'gone:' } }));
    await stack.get(PATH);
    const killed = Date.now();
    await own.kill();
    const { since, subject, effects } = await eventually(
      async () => (await open(stack)).find(({ kind }) => kind === 'redis'),
      { withinMs: 15_000 },
    );
    expect(subject).toBe('keys+limits+cache');
    expect(Math.abs(Date.parse(since) - killed)).toBeLessThan(2_000);
    expect(effects.map(({ code }) => code)).toContain('redis_lost');
    expect((await read<IncidentList>(stack, 'incidents')).scopeText).toBe('as this replica sees it');
    expect((await read<Overview>(stack, 'overview')).attention.map(({ code }) => code)).toEqual(['incident']);
  });
});
