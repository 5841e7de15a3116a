import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { freePort } from '../support/process/free-port.ts';
import { userRows } from './user-rows.ts';
import { installAt, type Place, runAt, startAt, tarball } from './install.ts';
import { answered, KEY, placeOn, PORTICO, stop } from './place.ts';

const BYTES_MAX = 6_000_000;
const FIRST_ANSWER_MS = 1_000;

/** What has to be in the tarball, and what must not. */
const NEEDED = [
  'dist/main.js',
  'dist/index.js',
  'dist/index.d.ts',
  'config/starter/portico-head.yaml',
  'dist/THIRD_PARTY.txt',
  'dist/admin/console/page/main.js',
  'dist/http/api-page/static/page.js',
  'config/docs/start.md',
  'config/source.schema.json',
  'config/examples/odata-v4.yaml',
  'config/demo.yaml',
  'LICENSE',
  'README.md',
];
const REFUSED = /(?:^|[./])tests?[./]|\.map$|(?<!\.d)\.ts$|compile-cache|\/fixtures\//;

const contents: BenchRow = {
  id: 'package-1',
  name: 'the tarball has what runs, its guides, schemas, examples and licences, and no test and no source map; at most 6 MB',
  async run() {
    const { files, packedBytes, unpackedBytes } = await tarball();
    const paths = files.map(({ path }) => path);
    assert.deepEqual(
      NEEDED.filter((path) => !paths.includes(path)),
      [],
    );
    assert.deepEqual(
      paths.filter((path) => REFUSED.test(path)),
      [],
    );
    const figure = {
      files: files.length,
      'unpacked MB': unpackedBytes / 1e6,
      'packed MB': packedBytes / 1e6,
    };
    return promised(unpackedBytes <= BYTES_MAX, figure);
  },
};

/** How long the demo takes to its first answer at a place. */
async function demoAt(bench: FaultBench, place: Place): Promise<number> {
  const port = String(await freePort());
  const since = performance.now();
  const demo = startAt(place, [PORTICO, 'demo'], { PORT: port, PORTICO_DEMO_KEY: KEY });
  bench.own({ close: () => demo.kill() });
  const ms = await answered(bench, demo, `http://127.0.0.1:${port}/v1/users?limit=3`, since);
  await stop(demo);
  return ms;
}

/** How long `portico start` takes to its first answer at a place. */
async function startPorticoAt(
  bench: FaultBench,
  place: Place,
  words: readonly string[],
  env: Record<string, string>,
) {
  const port = String(await freePort());
  const since = performance.now();
  const gateway = startAt(place, [PORTICO, ...words, 'start'], { PORT: port, ADMIN_PORT: '0', ...env });
  bench.own({ close: () => gateway.kill() });
  const ms = await answered(bench, gateway, `http://127.0.0.1:${port}/v1/openapi.json`, since);
  await stop(gateway);
  return ms;
}

const installed = (id: string, version: string): BenchRow => ({
  id,
  name: `on Node ${version}, the tarball is installed in an empty folder without a warning or a script; the demo answers within a second, and the gateway serves`,
  async run(bench) {
    const place = await placeOn(version, bench);
    const { code, out: node } = await runAt(place, ['node', '--version']);
    assert.equal(code, 0);
    assert.ok(node.startsWith(`v${version}`), node);
    const { warnings, scripts, packages, hasLicences } = await installAt(place, await tarball());
    assert.deepEqual(warnings, []);
    assert.equal(hasLicences, true);
    const first = await demoAt(bench, place);
    assert.ok(existsSync(join(place.home, '.cache/portico')), 'the first start makes the compile cache');
    const second = await demoAt(bench, place);
    bench.atMost('first answer of the demo, ms', first, FIRST_ANSWER_MS);
    const config = ['--config', 'node_modules/portico/config/portico.yaml'];
    const start = await startPorticoAt(bench, place, config, bench.samples.env);
    return promised(scripts === 0, {
      node: node.trim(),
      packages,
      warnings: warnings.length,
      scripts,
      'first answer ms': first,
      'of the second demo ms': second,
      'of start ms': start,
    });
  },
});

/** What is promised to those who install the package. */
export const packageRows: readonly BenchRow[] = [
  contents,
  installed('node-22', '22.15'),
  installed('node-24', '24'),
  ...userRows,
];
