import assert from 'node:assert/strict';
import { basename } from 'node:path';
import type { OperationRow } from '../operations/row.ts';
import { runCommand } from '../support/command/run-command.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';

const MIGRATION =
  'migration: { to: people, webhook: { url: "http://ops.example/hook", secret: a-secret-of-the-row } }';

const notes: OperationRow = {
  id: 'upgrade-check-1',
  name: 'portico upgrade-check tells file, line and mend of a deprecated key, and nothing where it was mended or the version is not new',
  fast: true,
  async run(bench) {
    const config = copyConfig();
    bench.own({ close: () => config.remove() });
    const line = config.edit('portico.yaml', '    source: crm\n', `    source: crm\n    ${MIGRATION}\n`) + 1;
    const check = (...words: readonly string[]) => runCommand(['upgrade-check', config.file, ...words]);
    const found = await check();
    assert.equal(found.code, 0, found.err);
    assert.match(
      found.out,
      new RegExp(
        `${basename(config.file)}:${line}:\\d+: resources\\.users\\.migration\\.webhook: deprecated since 1\\.0\\.0; 2\\.0\\.0 will refuse it\n    hint: write it at the top of the file: webhooks:`,
      ),
    );
    const { notes: told } = JSON.parse((await check('--json')).out) as { notes: readonly { line: number }[] };
    assert.deepEqual(
      told.map((note) => note.line),
      [line],
    );
    assert.match((await check('--from', '1.0.0')).out, /nothing in it has changed/);
    config.edit('portico.yaml', MIGRATION, 'migration: { to: people }');
    config.edit(
      'portico.yaml',
      'resources:',
      'webhooks: [{ url: "http://ops.example/hook", secret: a-secret-of-the-row }]\n\nresources:',
    );
    const mended = await check();
    assert.match(mended.out, /nothing in it has changed/);
    config.edit('portico.yaml', 'webhooks:', 'webhook:');
    assert.equal((await check()).code, 78, 'what the version refuses is told as portico check does');
    return { ok: true, figure: { notes: told.length } };
  },
};

/** What `portico upgrade-check` tells before a new version is installed. */
export const upgradeCheckRows: readonly OperationRow[] = [notes];
