import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { readAuditLine, verifyChain } from '../../src/store/audit/audit-entry.ts';
import { startOperator, tokenTexts } from './harness/operator-client.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const chain: BenchRow = {
  id: 'audit-1',
  name: 'every change is one line in log and Redis, the lines are one chain when several write at once, and no secret is in them',
  fast: true,
  async run(bench) {
    const { gateway, ask, through, redis } = await startOperator(bench);
    const other = await bench.gateway({
      config: { redis: { url: redis.url }, admin: { token: tokenTexts.operator } },
      keys: 0,
      adminToken: tokenTexts.operator,
    });
    const { key } = JSON.parse(
      await through('keys', 'create', '--label', 'x', '--permissions', 'users:read', '--json'),
    ) as { key: string };
    const count = bench.strict ? 400 : 40;
    const headers = { authorization: `Bearer ${tokenTexts.operator}` };
    const changes = Array.from({ length: count }, (_, n) =>
      n % 2 === 0
        ? ask('/api/cache/purge?tag=users', 'POST', tokenTexts.operator)
        : fetch(`${other.adminUrl}/api/cache/purge?tag=products`, { method: 'POST', headers }),
    );
    for (const answer of await Promise.all(changes)) assert.equal(answer.status, 200);
    const lines = await gateway.withStored(({ client, keys }) => client.lrange(keys.audit, 0, -1));
    const state = verifyChain(lines);
    // Where Redis takes a line at the second attempt only, the log has that it waits, and later that it is kept.
    const isKept = (line: Readonly<Record<string, unknown>>) =>
      line['audit'] === true && line['kept'] !== false;
    const audited = () => [gateway, other].flatMap((one) => one.log().filter(isKept));
    // Their standard output may come later than the answers.
    await bench.until(() => audited().length >= count + 1, 60_000);
    const logged = audited();
    for (const secret of [key, tokenTexts.operator, tokenTexts.viewer])
      assert.ok(!lines.join().includes(secret), 'a secret is in the audit');
    const actors = new Set(lines.map((line) => readAuditLine(line)?.actor));
    return promised(
      state.kind === 'intact' &&
        lines.length === count + 1 &&
        logged.length === count + 1 &&
        actors.size === 2,
      { changes: count + 1, kept: lines.length, logged: logged.length, chain: state.kind },
    );
  },
};

const reloads: BenchRow = {
  id: 'audit-2',
  name: 'a reload that is applied, and one that is refused, has a line with who asked, both digests and why, in one process and in two',
  async run(bench) {
    const figure: Record<string, string> = {};
    for (const workers of [1, 2]) {
      const { gateway, ask, through } = await startOperator(bench, workers);
      const text = readFileSync(gateway.configFile, 'utf8');
      const put = async (changed: string) => {
        writeFileSync(gateway.configFile, changed);
        return (await ask('/api/config/reload?reason=ticket+7', 'POST', tokenTexts.operator)).status;
      };
      assert.equal(await put(text.replace('20 per 1s', '21 per 1s')), 200);
      assert.equal(await put(`${text}\nnonsense: 1\n`), 422);
      assert.equal((await ask('/api/config/reload', 'POST', tokenTexts.viewer)).status, 403);
      const entries = async () =>
        (await through('audit', '--json'))
          .split('\n')
          .flatMap((line) => readAuditLine(line) ?? [])
          .filter(({ action }) => action === 'config.reload');
      await bench.until(async () => (await entries()).length >= 2);
      const [applied, refused, ...more] = await entries();
      assert.deepEqual(more, []);
      assert.deepEqual([applied?.actor, applied?.outcome], ['ada', 'applied']);
      assert.match(refused?.outcome ?? '', /^refused: .*nonsense/);
      assert.deepEqual([refused?.actor, applied?.reason, refused?.reason], ['ada', 'ticket 7', 'ticket 7']);
      assert.notDeepEqual(applied?.before, applied?.after);
      figure[`lines with ${workers}`] = `${applied?.outcome}, ${refused?.outcome.split(':')[0]}`;
    }
    return promised(true, figure);
  },
};

/** Who changed what. */
export const auditRows: readonly BenchRow[] = [chain, reloads];
