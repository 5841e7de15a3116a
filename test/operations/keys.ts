import assert from 'node:assert/strict';
import { startOperator } from './harness/operator-client.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const create = ['keys', 'create', '--label', 'x', '--permissions', 'users:read,products:read', '--json'];
type Made = { readonly id: string; readonly key: string };

const revokeFull: BenchRow = {
  id: 'keys-1',
  name: 'a key is revoked in a Redis that is full, refused by the gateway within a second, and the audit has the line',
  fast: true,
  async run(bench) {
    const { gateway, through, statusOf } = await startOperator(bench, 1, '--maxmemory-policy', 'noeviction');
    const { id, key } = JSON.parse(await through(...create)) as Made;
    assert.equal(await statusOf(key), 200);
    await gateway.withStored(({ client }) => client.config('SET', 'maxmemory', '100kb'));
    await assert.rejects(through(...create), /OOM/);
    const began = performance.now();
    await through('keys', 'revoke', id, '--reason', 'leaked');
    const revokedMs = performance.now() - began;
    const refusedMs = await bench.until(async () => (await statusOf(key)) === 401, 60_000, 20);
    bench.atMost('ms until a revoked key is refused', revokedMs + refusedMs, 1_000 + 500);
    const audit = await through('audit');
    await gateway.withStored(({ client }) => client.config('SET', 'maxmemory', '0'));
    return promised(/keys\.revoke {2}\w+ {2}done.*because: leaked/.test(audit), {
      'revoked ms': revokedMs,
      'refused ms': refusedMs,
    });
  },
};

const restricted: BenchRow = {
  id: 'keys-2',
  name: 'a key with allowed addresses and operations works there only, also a moment after it was used from a right address',
  fast: true,
  async run(bench) {
    const { through, statusOf } = await startOperator(bench);
    const only = ['--addresses', '10.1.0.0/16,2001:db8::/32', '--operations', 'users.list'];
    const { id, key } = JSON.parse(await through(...create, ...only)) as Made;
    const statuses: number[] = [];
    for (let round = 0; round < 5; round += 1)
      for (const from of ['10.1.2.3', '2001:db8::7', '10.2.0.1', '10.1.2.3, 2001:db9::1', '::ffff:10.1.9.9'])
        statuses.push(await statusOf(key, from));
    const round = [200, 200, 401, 401, 200];
    assert.deepEqual(statuses, Array.from({ length: 5 }, () => round).flat());
    assert.equal(await statusOf(key, '10.1.2.3', '/v1/products?limit=1'), 403);
    await through('keys', 'update', id, '--addresses', 'anywhere', '--operations', 'all');
    await bench.until(async () => (await statusOf(key, '10.2.0.1')) === 200);
    const opened = await statusOf(key, '10.2.0.1', '/v1/products?limit=1');
    return promised(opened === 200, { requests: statuses.length, refused: 10, 'wrongly passed': 0 });
  },
};

const reasons: BenchRow = {
  id: 'keys-3',
  name: 'the log and a metric say why a key was refused and which one, and the caller learns nothing of it',
  fast: true,
  async run(bench) {
    const { gateway, through, statusOf } = await startOperator(bench);
    const made = async (...more: string[]) => JSON.parse(await through(...create, ...more)) as Made;
    const [revoked, expired, elsewhere] = [
      await made(),
      await made('--expires', '1ms'),
      await made('--addresses', '192.0.2.1'),
    ];
    await through('keys', 'revoke', revoked.id);
    await bench.until(async () => (await statusOf(revoked.key)) === 401);
    const unknown = bench.mint().key;
    const bodies = new Set<string>();
    const cases = {
      revoked: revoked.key,
      expired: expired.key,
      wrong_address: elsewhere.key,
      unknown,
      malformed: `${revoked.key}x`,
    };
    for (const [reason, key] of Object.entries(cases)) {
      const answer = await fetch(`${gateway.url}/v1/users`, {
        headers: { 'x-api-key': key, 'x-forwarded-for': '10.0.0.1' },
      });
      assert.equal(answer.status, 401, reason);
      bodies.add((await answer.text()).replace(/req_[\w-]+/, ''));
      assert.ok(
        (await gateway.counted('portico_credential_refusals_total', `reason="${reason}"`)) > 0,
        reason,
      );
    }
    const details = () => gateway.log().map(({ detail }) => String(detail));
    for (const [reason, { id }] of Object.entries({ revoked, expired, wrong_address: elsewhere }))
      await bench.until(() => details().some((text) => text.includes(`${reason}, key ${id}`)));
    return promised(bodies.size === 1, {
      reasons: Object.keys(cases).length,
      'different answers': bodies.size,
    });
  },
};

const lastUse: BenchRow = {
  id: 'keys-4',
  name: 'keys are listed through the listener without the pepper, with their last use, and one that ends soon is counted',
  async run(bench) {
    const { gateway, through, statusOf } = await startOperator(bench);
    const { id, key } = JSON.parse(await through(...create, '--expires', '9d')) as Made;
    assert.match(await through('keys', 'list'), /never/);
    assert.equal(await statusOf(key), 200);
    const shown = async () =>
      JSON.parse(await through('keys', 'show', id, '--json')) as { lastUsedAt?: string };
    const ms = await bench.until(async () => (await shown()).lastUsedAt !== undefined, 60_000, 250);
    const counted = await bench.until(
      async () => (await gateway.counted('portico_keys_expiring', 'kept="redis"')) === 1,
      60_000,
    );
    bench.atMost('ms until the last use is known', ms, 60_000);
    const list = await through('keys', 'list');
    return promised(/ID +STATE/.test(list) && /ends soon +\d{4}-\d\d-\d\d/.test(list), {
      'known after ms': ms,
      'counted after ms': counted,
    });
  },
};

/** Keys as operators use them. */
export const keyRows: readonly BenchRow[] = [revokeFull, restricted, reasons, lastUse];
