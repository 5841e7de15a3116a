import { actionSpecs, type ActionValue } from '../../../src/admin/api/action-table.ts';
import { startSourceGateway } from '../../support/gateway/start-gateway.ts';
import { type HttpReply, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { eventually } from '../../support/time/eventually.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const row = { id: 1, n: 'Ada', m: null, at: null };
/** The lines of the rules in the file below, from 1. */
const FIRST_LINE = 6;
const sourceText = (origin: string) => `source: 1
name: shop
net: { baseUrl: '${origin}', timeout: 60s, retries: { max: 0 } }
# More rules than are ever used.
outcomes:
  - { status: 404, on: get, is: not_found }
  - { status: 200, is: ok }
  - { status: 400, is: client_bug }
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users }
      window: { kind: none }
      items: rows
      map: { id: id, name: n, email: m, created_at: { from: at, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: user
      map: { id: id, name: n, email: m, created_at: { from: at, as: [iso8601] }, profile.bio: b, profile.location: l, profile.avatar_url: a }
`;

let reply: HttpReply = { body: {} };
const upstream = startForAll(() => startUpstream(serving(() => reply)));
const gateway = startForAll(() => startSourceGateway(sourceText(upstream.origin)));

/** Asks while the source replies like this, and gives the status of the answer. */
async function askOf(next: HttpReply, path: string): Promise<number> {
  reply = next;
  return (await gateway.get(path)).status;
}

async function rulesShown(): Promise<ActionValue<'source'>['rules']> {
  const answer = await fetch(`${gateway.adminUrl}/api/sources/shop`);
  return actionSpecs.source.output.parse(await answer.json()).rules;
}

const counted = ({ rule, is }: { rule: string; is: string }) =>
  gateway.counted('portico_upstream_replies_total', 'source="shop"', `rule="${rule}"`, `is="${is}"`);

const OK = { rule: 'outcomes[1]', is: 'ok' };

describe('the outcome rules of a source', () => {
  it('are there with 0, in the order of the file and with their lines, before any reply', async () => {
    const rules = await rulesShown();
    expect(rules.map(({ rule, is, line }) => [rule, is, line])).toEqual([
      ['outcomes[0]', 'not_found', FIRST_LINE],
      ['outcomes[1]', 'ok', FIRST_LINE + 1],
      ['outcomes[2]', 'client_bug', FIRST_LINE + 2],
      ['none', 'by_status', undefined],
    ]);
    expect(rules.map(({ replies }) => replies)).toEqual(rules.map(() => ({ total: 0, lastHour: 0 })));
    expect((await gateway.metrics()).match(/^portico_upstream_replies_total\{.*/gm)).toHaveLength(4);
  });

  it('are shown with the replies that each decided, as /metrics counts them', async () => {
    expect(await askOf({ body: { rows: [row] } }, '/v1/users')).toBe(200);
    expect(await askOf({ body: { user: row } }, '/v1/users/user_1')).toBe(200);
    expect(await askOf({ status: 404, body: {} }, '/v1/users/user_2')).toBe(404);
    expect(await askOf({ status: 302, body: {} }, '/v1/users/user_3')).toBe(502);
    await eventually(async () => (await rulesShown())[3]?.replies.total === 1);
    const rules = await rulesShown();
    expect(rules.map(({ replies }) => replies.total)).toEqual(await Promise.all(rules.map(counted)));
    const [missing, ok, , none] = rules.map(({ replies }) => replies);
    expect([missing, none]).toEqual([
      { total: 1, lastHour: 1 },
      { total: 1, lastHour: 1 },
    ]);
    expect(ok!.total).toBeGreaterThanOrEqual(2);
  });

  it('go on from where they were after a purge', async () => {
    const before = await counted(OK);
    const purged = await fetch(`${gateway.adminUrl}/api/cache/purge?tag=users`, { method: 'POST' });
    expect(purged.status).toBe(200);
    expect(await counted(OK)).toBe(before);
    expect(await askOf({ body: { user: row } }, '/v1/users/user_1')).toBe(200);
    expect(await counted(OK)).toBe(before + 1);
  });
});
