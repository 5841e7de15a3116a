import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/command/run-command.ts';
import { startOperator } from './harness/operator-client.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const create = ['keys', 'create', '--label', 'x', '--permissions', 'users:read', '--json'];

const flushed: BenchRow = {
  id: 'backup-1',
  name: 'keys and audit survive FLUSHALL by what was exported: the same keys work, the revoked one does not, the chain goes on',
  fast: true,
  async run(bench) {
    const { gateway, redis, through, statusOf } = await startOperator(bench);
    const made = async () => JSON.parse(await through(...create)) as { id: string; key: string };
    const [kept, revoked] = [await made(), await made()];
    await through('keys', 'revoke', revoked.id);
    const folder = mkdtempSync(join(tmpdir(), 'portico-backup-'));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const keys = file('keys.jsonl', await through('keys', 'export'));
    const audit = file('audit.jsonl', await through('audit', '--json'));
    await gateway.withStored(({ client }) => client.flushall());
    await bench.until(async () => (await statusOf(kept.key)) === 401);
    const began = performance.now();
    const restored = await runCommand(['audit', 'restore', audit], { REDIS_URL: redis.url });
    assert.equal(restored.code, 0, restored.err);
    await through('keys', 'import', keys);
    // Each time from elsewhere: an address that tried a key in vain for too often waits, whatever it tries then.
    let caller = 0;
    await bench.until(async () => {
      caller += 1;
      return (await statusOf(kept.key, `10.9.${caller >> 8}.${caller & 255}`)) === 200;
    });
    const tookMs = performance.now() - began;
    const foreign = await runCommand(['keys', 'import', keys], {
      REDIS_URL: redis.url,
      PORTICO_KEY_PEPPER: 'another-pepper-than-theirs',
    });
    rmSync(folder, { recursive: true });
    const verified = await through('audit', '--verify');
    return promised(
      (await statusOf(revoked.key)) === 401 &&
        verified.startsWith('lines 1 to ') &&
        foreign.err.includes('under another pepper'),
      { 'back after ms': tookMs, chain: verified.slice(0, 24) },
    );
  },
};

/** What is kept elsewhere, and put back. */
export const backupRows: readonly BenchRow[] = [flushed];
