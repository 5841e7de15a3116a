import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { answerOf, faultyOptions, goodBody, sourceFile } from '../harness/harm/faulty-source.ts';
import { startUpstream } from '../../support/upstream/scripted-upstream.ts';
import type { BenchRow } from '../harness/row.ts';

const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');

/** Texts of 50 to 70 KB that take many seconds if their aliases are resolved. */
const BOMBS: Readonly<Record<string, string>> = {
  'merges of merges': `x0: &x0 { a: 1 }\n${times(1_500, (at) => `x${at + 1}: &x${at + 1} { <<: *x${at}, k${at}: 1 }\n`)}`,
  'one map merged often': `x: &x\n${times(2_500, (at) => `  k${at}: 1\n`)}y:\n${times(1_500, () => '  - { <<: *x }\n')}`,
  'an alias for each anchor': `${times(1_800, (at) => `a${at}: &a${at} { k: 1 }\n`)}b:\n${times(1_800, (at) => `  - { <<: *a${at} }\n`)}`,
};

const bombs: BenchRow = {
  id: 'S23',
  name: 'a file of a source with 70 KB of aliases and merges, and one that is as large and sound – the reload is refused with the line; the next one of sound files with aliases is applied',
  async run(bench) {
    const gateway = await bench.gateway();
    const file = join(dirname(gateway.configFile), 'sources', 'more.yaml');
    let slowest = 0;
    // The first reload starts the thread.
    await gateway.reload();
    for (const [name, text] of Object.entries(BOMBS)) {
      writeFileSync(file, text);
      const startedAt = performance.now();
      const { outcome } = await gateway.reload();
      slowest = Math.max(slowest, performance.now() - startedAt);
      assert.equal(outcome.kind, 'refused', name);
      assert.match(JSON.stringify(outcome), /more\.yaml.*(?:aliases|merges)/, name);
    }
    bench.atMost('ms of the slowest refusal', slowest, 2_000);
    const map = '{ id: id, name: name, email: mail, created_at: made }';
    const shared = sourceFile('more', 'http://127.0.0.1:1', 'timeout: 1s')
      .replace('map: { id: id, name: name', 'map: &rows { id: id, name: name')
      .replace('        id: id\n        name: name\n        email: mail\n', '        <<: *rows\n');
    writeFileSync(file, `${shared}${times(2_000, (at) => `# ${at} ${map}\n`)}`);
    const { outcome } = await gateway.reload();
    assert.notEqual(outcome.kind, 'refused', JSON.stringify(outcome));
    rmSync(file);
    return { 'slowest ms': slowest };
  },
};

/** A good record of the shared upstream with this many keys more. */
function withKeys(id: number, count: number): string {
  return goodBody(id).replace(/\}\}$/, `${times(count, (at) => `,"key_${at}":${at}`)}}}`);
}

const manyKeys: BenchRow = {
  id: 'S24',
  name: 'a record with 300,000 keys in its reply, while others ask – the right record; nobody else waits for more than 50 ms',
  async run(bench) {
    const upstream = bench.own(await startUpstream());
    const file = sourceFile('faulty', upstream.origin, 'timeout: 60s');
    const gateway = await bench.gateway(faultyOptions(file, { deadline: '60s' }));
    const bodies = new Map([1, 2, 3].map((id) => [id, Buffer.from(withKeys(id, 300_000))]));
    upstream.does(({ id, socket }) => void socket.end(answerOf(200, bodies.get(id) ?? '')));
    const slowestOther = async (until: Promise<unknown>) => {
      let [slowest, isOver] = [0, false];
      void until.finally(() => (isOver = true));
      while (!isOver) {
        const startedAt = performance.now();
        await (await fetch(`${gateway.url}/v1/nothing`)).text();
        slowest = Math.max(slowest, performance.now() - startedAt);
      }
      return slowest;
    };
    const usual = await slowestOther(bench.sleep(500));
    // The first one starts the thread.
    let slowest = 0;
    for (const id of bodies.keys()) {
      const asked = gateway.ask(`/v1/users/user_${id}`);
      slowest = await slowestOther(asked);
      assert.equal((await asked).status, 200);
    }
    bench.atMost('ms that another answer took longer', slowest - usual, 50);
    return { 'usual ms': usual, 'slowest ms': slowest };
  },
};

/** What files and replies can do. */
export const securityFiles: readonly BenchRow[] = [bombs, manyKeys];
