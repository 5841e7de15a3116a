import { isDeepStrictEqual } from 'node:util';
import type { ActionValue } from '../../src/admin/api/action-table.ts';
import { readAuditLine } from '../../src/store/audit/audit-entry.ts';
import { eventually } from '../support/time/eventually.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { runPortico, startGatewayProcess } from '../support/gateway/gateway-process.ts';
import { startLoad } from '../support/client/keep-alive-load.ts';
import { serving, startUpstream } from '../support/upstream/scripted-upstream.ts';
import { crmList } from '../support/upstream/scripts.ts';
import { startForAll } from '../support/jest/lifetime.ts';

const edit = (from: string, to: string) => config.edit('portico.yaml', from, to);
const users = (query: string) => fetch(`${gateway.url}/v1/users?${query}`);
const statusOf = async (query: string) => (await users(query)).status;
const reload = (query?: string) => gateway.reload(query);
const readiness = async () => (await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as Readiness;

type Readiness = {
  readonly config: { readonly rev: number; readonly digest: string; readonly stale?: object };
};

const upstream = startForAll(() => startUpstream(serving((request) => crmList(request, 'Ada'))));
const config = startForAll(copyConfig);
beforeAll(() => {
  config.useGenerousTimeouts();
  edit('    source: crm\n', '    source: crm\n    public: true\n');
  // Below a file, nothing can be kept: each configuration in force is worth a warning.
  edit('\nredis:', `\nstate: { dir: '${config.file}/state' }\n\nredis:`);
  edit('standard: { windows: [20 per 1s, 600 per 60s] }', 'standard: { windows: [1000000 per 60s] }');
  edit('cache: { fresh: 10s, notFound: 2s }', 'cache: { fresh: 300s, notFound: 2s }');
});
const gateway = startForAll(() => startGatewayProcess({ USERS_URL: upstream.origin }, config.file));

describe('a process that serves alone', () => {
  it('puts a changed configuration in force on SIGHUP, and fails no request', async () => {
    expect(await statusOf('limit=500')).toBe(400);
    const load = startLoad(`${gateway.url}/v1/openapi.json`, 10);
    await load.more(50);
    edit('passthrough:', 'contract: { limitOverflow: clamp }\n\npassthrough:');
    gateway.process.signal('SIGHUP');
    await eventually(async () => (await readiness()).config.rev === 2, { withinMs: 60_000 });
    expect(await statusOf('limit=500')).toBe(200);
    await load.stop();
    expect(load.failures).toEqual([]);
  });

  it('keeps the connections to an unchanged source, and its cached answers', async () => {
    await users('limit=7');
    const [{ connections, calls }, hits] = [
      upstream,
      await gateway.counted('portico_requests_total', 'cache="hit"'),
    ];
    edit('limitOverflow: clamp', 'limitOverflow: reject');
    expect(await reload()).toMatchObject({
      status: 200,
      outcome: { kind: 'applied', rev: 3, changes: [{ path: 'contract.limitOverflow', kind: 'changed' }] },
    });
    expect(await statusOf('limit=500')).toBe(400);
    expect(await statusOf('limit=7')).toBe(200);
    expect(await gateway.counted('portico_requests_total', 'cache="hit"')).toBe(hits + 1);
    expect(await statusOf('limit=8')).toBe(200);
    expect([upstream.connections, upstream.calls]).toEqual([connections, calls + 1]);
  });

  it('says what would change, and changes nothing, where it is asked for a dry run', async () => {
    edit('limitOverflow: reject', 'limitOverflow: clamp');
    const { outcome } = await reload('?dryRun=true');
    expect(outcome).toMatchObject({ kind: 'dry-run', rev: 3, changes: [{ path: 'contract.limitOverflow' }] });
    expect(await statusOf('limit=500')).toBe(400);
    edit('limitOverflow: clamp', 'limitOverflow: reject');
    expect((await reload()).outcome).toMatchObject({ kind: 'unchanged', rev: 3, changes: [] });
  });

  it('refuses a broken file with its line, goes on, and says so until the file is sound again', async () => {
    const line = edit('limitOverflow: reject', 'limitOverflow: rejects');
    const { status, outcome } = await reload();
    expect([status, outcome.kind]).toEqual([422, 'refused']);
    expect(outcome.problems?.join()).toContain(`portico.yaml:${line}:`);
    expect(await statusOf('limit=500')).toBe(400);
    expect((await readiness()).config).toMatchObject({ rev: 3, stale: { why: 'reload refused' } });
    expect(await gateway.counted('portico_config_stale')).toBe(1);
    expect(await gateway.counted('portico_config_reloads_total', 'outcome="refused"')).toBe(1);
    edit('limitOverflow: rejects', 'limitOverflow: reject');
    expect((await reload()).outcome.kind).toBe('unchanged');
    expect((await readiness()).config.stale).toBeUndefined();
    expect(await gateway.counted('portico_config_stale')).toBe(0);
  });

  it('is asked by `portico reload` too, even about a file that is broken elsewhere', async () => {
    const options = ['--config', config.file, 'reload', '--admin', gateway.adminUrl];
    edit('limitOverflow: reject', 'limitOverflow: clamps');
    const refused = await runPortico([...options, '--dry-run']);
    expect([refused.code, refused.out]).toEqual([78, expect.stringContaining('contract.limitOverflow: ')]);
    edit('limitOverflow: clamps', 'limitOverflow: clamp');
    const applied = await runPortico([...options, '--reason', 'ticket 7']);
    expect([applied.code, applied.err]).toEqual([0, '']);
    expect(applied.out).toContain('changed contract.limitOverflow\nThe new configuration is in force.\n');
    expect(applied.out).toContain('in 1 of 1 processes.');
    const { lines } = (await (await fetch(`${gateway.adminUrl}/api/audit`)).json()) as ActionValue<'audit'>;
    expect(readAuditLine(lines.at(-1) ?? '')).toMatchObject({ reason: 'ticket 7', outcome: 'applied' });
    edit('limitOverflow: clamp', 'limitOverflow: reject');
    expect(
      (await runPortico([...options.slice(0, 3), '--gateway', gateway.adminUrl, '--json'])).out,
    ).toContain('"kind": "applied"');
  });

  it('refuses by name what only a restart can change', async () => {
    edit('host: ${HOST:-0.0.0.0}', 'host: 127.0.0.2');
    const { status, outcome } = await reload();
    expect(status).toBe(422);
    expect(outcome.problems?.join()).toContain('listen.host: cannot change while the gateway runs');
    edit('host: 127.0.0.2', 'host: ${HOST:-0.0.0.0}');
    expect((await reload()).outcome.kind).toBe('unchanged');
  });

  it('tells the digest of the configuration in force everywhere', async () => {
    const { digest, processes } = (await reload()).outcome;
    expect(processes).toEqual([{ pid: gateway.process.pid, digest }]);
    expect((await readiness()).config.digest).toBe(digest);
    expect(await gateway.counted('portico_config_info', `digest="${digest}"`)).toBe(1);
  });

  it('stops serving a route that is gone, and counts on', async () => {
    expect((await fetch(`${gateway.url}/legacy/orders`)).status).toBe(401);
    edit('path: /legacy/orders', 'path: /legacy/purchases');
    expect((await reload()).outcome.kind).toBe('applied');
    expect((await fetch(`${gateway.url}/legacy/orders`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/legacy/purchases`)).status).toBe(401);
  });

  it('leaves stored answers what they were stored with where `fresh` is lowered, until a purge', async () => {
    expect(await statusOf('limit=9')).toBe(200);
    const { calls } = upstream;
    edit('fresh: 300s', 'fresh: 1s');
    expect((await reload()).outcome.kind).toBe('applied');
    expect((await users('limit=9')).headers.get('cache-control')).toBe('private, max-age=300');
    expect(upstream.calls).toBe(calls);
    await fetch(`${gateway.adminUrl}/api/cache/purge?tag=users`, { method: 'POST' });
    expect((await users('limit=9')).headers.get('cache-control')).toBe('private, max-age=1');
    expect(upstream.calls).toBe(calls + 1);
  });

  it('shows the outcome rules of the file in force, and takes nothing from what those before have counted', async () => {
    const counted = (...labels: readonly string[]) =>
      gateway.counted('portico_upstream_replies_total', 'source="crm"', ...labels);
    const rulesShown = async () => {
      const answer = await fetch(`${gateway.adminUrl}/api/sources/crm`);
      const { rules } = (await answer.json()) as ActionValue<'source'>;
      return rules.slice(0, 2).map(({ rule, is, line, replies }) => [rule, is, line, replies.total]);
    };
    const before = await counted('rule="outcomes[0]"', 'is="ok"');
    expect(before).toBeGreaterThan(0);
    const line =
      config.edit('sources/crm.yaml', 'outcomes:\n', 'outcomes:\n  - { status: 410, is: error }\n') + 1;
    expect((await reload()).outcome.kind).toBe('applied');
    expect(await statusOf('limit=11')).toBe(200);
    const moved = [
      ['outcomes[0]', 'error', line, 0],
      ['outcomes[1]', 'ok', line + 1, 1],
    ];
    await eventually(async () => isDeepStrictEqual(await rulesShown(), moved));
    expect(await counted('rule="outcomes[0]"', 'is="ok"')).toBe(before);
  });

  it('logs as much as the new `log.level` says, whatever part of the process logs', async () => {
    const warnings = () => gateway.lines().filter(({ msg }) => String(msg).includes('cannot be kept')).length;
    const before = warnings();
    edit("level: '${LOG_LEVEL:-info}'", 'level: warn');
    expect((await reload()).outcome.kind).toBe('applied');
    await eventually(() => warnings() === before + 1);
    edit('level: warn', 'level: error');
    expect((await reload()).outcome.kind).toBe('applied');
    edit('level: error', 'level: warn');
    expect((await reload()).outcome.kind).toBe('applied');
    await eventually(() => warnings() === before + 2);
  });
});
