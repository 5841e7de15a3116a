import { startGateway } from '../../support/gateway/start-gateway.ts';
import { nameOf, sourceText, users } from '../../support/upstream/named-users.ts';
import { eventually } from '../../support/time/eventually.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const config = `
resources:
  users:
    source: old
    public: true
    deadline: 30s
    cache: { fresh: 1h, notFound: 0s }
    migration: { to: next, stage: ramp, percent: 100, bucketBy: request, shadow: { maxRps: 1000, timeout: 5s } }
`;

test('an answer of the new source that is wrong once does not stay in the cache, and is told to operators', async () => {
  const [legacy, next] = await Promise.all([startUpstream(), startUpstream()]);
  const sources = { 'old.yaml': sourceText('old', legacy), 'next.yaml': sourceText('next', next) };
  const gateway = await startGateway({ sources, config, isPatient: false });
  try {
    legacy.become(serving(users(nameOf)));
    const asked = new Set<number>();
    next.become(
      serving((request) => {
        const isFirst = !asked.has(request.id);
        asked.add(request.id);
        return users(isFirst ? (id) => `Other ${id}` : nameOf)(request);
      }),
    );
    const ask = async (id: number) => (await fetch(`${gateway.url}/v1/users/user_${id}`)).text();
    // A process that is busy compares nothing: then another record is asked for.
    let id = 1;
    const isTold = async () => {
      id += 1;
      expect(await ask(id)).toContain(`Other ${id}`);
      return (await gateway.counted('portico_migration_compare_total', 'verdict="transient"')) > 0;
    };
    await eventually(isTold, { withinMs: 60_000, everyMs: 500 });
    await eventually(async () => (await ask(id)).includes(nameOf(id)));
    const status = await (await fetch(`${gateway.adminUrl}/api/migrations/users`)).json();
    expect(status).toMatchObject({
      compare: { 'users.get': { mismatch: 0, once: [{ field: 'data.name', isAtOnce: true, noise: 0 }] } },
    });
  } finally {
    await gateway.close();
    await Promise.all([legacy.close(), next.close()]);
  }
});
