import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { NODE, startUpstreams } from '../support/gateway/gateway-process.ts';
import { freePort } from '../support/process/free-port.ts';
import { runProcess } from '../support/process/running-process.ts';

/** The first block of shell lines in a part of config/docs/operate.md. */
function linesOf(part: string): string {
  const text = readFileSync('config/docs/operate.md', 'utf8');
  const [, lines] = new RegExp(`^## ${part}\\n[^]*?\`\`\`sh\\n([^]*?)\`\`\``, 'm').exec(text) ?? [];
  return lines ?? assert.fail(`operate.md has no lines under ${part}`);
}

/** The same lines with ports that are free here. */
async function onFreePorts(lines: string): Promise<{ readonly lines: string; readonly ports: Ports }> {
  const ports: Record<string, number> = {};
  for (const port of ['6379', '6380', '8081', '8082', '9091', '9092']) ports[port] = await freePort();
  return {
    lines: lines.replaceAll(/\b(?:6379|6380|8081|8082|9091|9092)\b/g, (port) => String(ports[port])),
    ports,
  };
}
type Ports = Readonly<Record<string, number>>;

const documented: BenchRow = {
  id: 'processes-1',
  name: 'the lines of operate.md bring up two Redis servers and two replicas, which serve the same configuration to the same key, and make a file of passwords for one reader that they never replace',
  async run(bench) {
    const folder = mkdtempSync(join(tmpdir(), 'portico-processes-'));
    bench.own({ close: () => rmSync(folder, { recursive: true }) });
    const samples = bench.own(await startUpstreams());
    const etc = join(folder, 'etc');
    mkdirSync(etc);
    cpSync('config/compose.yaml', join(etc, 'portico.yaml'));
    for (const part of ['sources', 'fixtures'])
      cpSync(`config/${part}`, join(etc, part), { recursive: true });

    const [makeEnv = ''] = /^\(umask [^]*?\.env\)$/m.exec(linesOf('Docker Compose')) ?? [];
    const passwords = `cd ${folder}\n${makeEnv.replace('config/', `${resolve('config')}/`)}`;
    const run = (script: string) => runProcess('bash', ['-c', script], samples.env);
    assert.equal((await run(passwords)).code, 0);
    const made = readFileSync(join(folder, '.env'), 'utf8');
    assert.notEqual((await run(passwords)).code, 0, 'what is there is not replaced');
    assert.equal(readFileSync(join(folder, '.env'), 'utf8'), made);
    assert.equal(statSync(join(folder, '.env')).mode & 0o777, 0o600);

    const { lines, ports } = await onFreePorts(linesOf('Processes'));
    const here = lines
      .replace(/^npm ci.*\n/m, '')
      .replaceAll('/etc/portico', etc)
      .replaceAll(
        'node dist/main.js',
        `${resolve(NODE)} --disable-warning=ExperimentalWarning ${resolve('src/main.ts')}`,
      );
    const ask = `curl -sf -H "Authorization: Bearer $(grep -oE 'ptk_\\w+' out)"`;
    const { code, out, err } = await run(
      [
        `cd ${folder}; set -e; trap 'kill $(jobs -p); wait' EXIT`,
        `{\n${here}} > out`,
        'cat out',
        ...['8081', '8082'].map((port) => `${ask} 'http://127.0.0.1:${ports[port]}/v1/products?limit=1'`),
      ].join('\n'),
    );
    assert.equal(code, 0, err);
    const digests = [...out.matchAll(/"digest":"([\w-]+)"/g)].map(([, digest]) => digest);
    assert.equal(digests.length, 2, out);
    const answers = [...out.matchAll(/"meta":\{"total"/g)].length;
    return promised(new Set(digests).size === 1 && answers === 2, { replicas: digests.length, answers });
  },
};

/** Replicas as processes, without containers. */
export const processRows: readonly BenchRow[] = [documented];
