import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway } from '../../support/gateway/start-gateway.ts';
import { eventually } from '../../support/time/eventually.ts';
import { nameOf, sourceText, users } from '../../support/upstream/named-users.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest, startForAll, startForEach } from '../../support/jest/lifetime.ts';

const config = `
resources:
  users:
    source: old
    public: true
    deadline: 30s
    cache: { fresh: 0s, notFound: 0s }
    migration: { to: next, stage: shadow, recheck: { delay: 20ms, maxRps: 1000 }, shadow: { maxRps: 1000, concurrency: 4, timeout: 5s } }
`;

describe('a gateway whose users are shadowed', () => {
  const legacy = startForAll(startUpstream);
  const next = startForAll(startUpstream);
  const gateway = startForAll(() => {
    const sources = { 'old.yaml': sourceText('old', legacy), 'next.yaml': sourceText('next', next) };
    return startGateway({ sources, config, isPatient: false });
  });
  beforeEach(() => legacy.become(serving(users(nameOf))));

  const verdicts = (verdict: string) =>
    gateway.counted('portico_migration_compare_total', `verdict="${verdict}"`);
  const get = async (path: string) => (await fetch(gateway.url + path)).text();

  /** Asks until an answer was compared like this: a process that is busy compares nothing. */
  async function askUntil(path: string, verdict: string): Promise<void> {
    const before = await verdicts(verdict);
    const isCompared = async () => {
      await get(path);
      return (await verdicts(verdict)) > before;
    };
    await eventually(isCompared, { withinMs: 60_000, everyMs: 100 });
  }

  it('serves the legacy answers and compares them, lists and records', async () => {
    next.become(serving(users(nameOf)));
    expect(JSON.parse(await get('/v1/users/user_1'))).toMatchObject({ data: { name: 'User 1' } });
    expect(JSON.parse(await get('/v1/users'))).toMatchObject({ meta: { total: 2 } });
    await askUntil('/v1/users/user_1', 'match');
    await askUntil('/v1/users', 'match');
    expect(await verdicts('mismatch')).toBe(0);
  });

  it('confirms what differs, and shows it to operators without a value', async () => {
    next.become(serving(users((id) => `Other ${id}`)));
    await askUntil('/v1/users/user_2', 'mismatch');
    const shown = await (await fetch(`${gateway.adminUrl}/api/migrations/users/diffs`)).text();
    expect(shown).toContain('data.name');
    expect(shown).not.toMatch(/Other|User 2/);
  });

  it('answers callers while the new source hangs, with no more calls at it than may be', async () => {
    next.become(serving(users(() => undefined)));
    const asked = Array.from({ length: 40 }, (_, index) => get(`/v1/users/user_${index + 1}`));
    for (const body of await Promise.all(asked)) expect(body).toContain('"data"');
    expect(next.requests.length).toBeLessThanOrEqual(4);
    expect(await gateway.counted('portico_migration_shadow_total', 'outcome="dropped_')).toBeGreaterThan(0);
    expect(await gateway.counted('portico_breaker_state', 'source="next"', 'state="open"')).toBe(0);
  });
});

describe('a look of Portico at the list of the new source', () => {
  const legacy = startForEach(() => startUpstream(serving(users(nameOf))));
  const next = startForEach(startUpstream);

  /** Has the new source asked for a record until Portico looks at its list, which hangs; the slots of comparisons are one. */
  async function startLooking(timeout: string) {
    const answer = users(nameOf);
    next.become(serving((request) => (request.path === '/users' ? undefined : answer(request))));
    const text = sourceText('next', next).replace('net: {', `net: { timeout: ${timeout},`);
    const sources = { 'old.yaml': sourceText('old', legacy), 'next.yaml': text };
    const narrow = config.replace('concurrency: 4', 'concurrency: 1');
    const gateway = endAfterTest(await startGateway({ sources, config: narrow, isPatient: false }));
    const get = async (id: number) => (await fetch(`${gateway.url}/v1/users/user_${String(id)}`)).text();
    await eventually(async () => {
      await get(1);
      return next.requests.some(({ path }) => path === '/users');
    });
    return { get, offered: () => gateway.counted('portico_migration_shadow_total') };
  }

  it('takes one of the slots of comparisons', async () => {
    const { get, offered } = await startLooking('1m');
    const [asked, before] = [next.requests.length, await offered()];
    for (let id = 2; id < 7; id += 1) await get(id);
    await eventually(async () => (await offered()) >= before + 5);
    expect(next.requests.length).toBe(asked);
  });

  it('causes no health probe beside them while it hangs', async () => {
    await startLooking('4s');
    const asked = next.requests.length;
    // Twice as long as a source may be silent before callers would have it probed.
    await sleep(1_000);
    expect(next.requests.length).toBe(asked);
  });
});
