// What a user does with the tarball: `init`, a host with Express, and types in a project.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { twoLists } from '../support/dialects/two-lists.ts';
import { NODE } from '../support/gateway/gateway-process.ts';
import { LIBRARY_CONSUMER, consumerTsconfig } from '../support/gateway/library-consumer.ts';
import { freePort } from '../support/process/free-port.ts';
import { runProcess } from '../support/process/running-process.ts';
import { serving, startUpstream } from '../support/upstream/scripted-upstream.ts';
import { installAt, npmAt, runAt, startAt, tarball } from './install.ts';
import { answered, placeOn, PORTICO } from './place.ts';

const PACKAGES = resolve('node_modules');

/** What a command that must end well has printed. */
async function outOf(running: ReturnType<typeof runAt>): Promise<string> {
  const { code, out, err } = await running;
  assert.equal(code, 0, out + err);
  return out;
}

const init = (version: string): BenchRow => ({
  id: `init-${version.split('.')[0]}`,
  name: `on Node ${version}, portico init from the tarball drafts a service of the user; a second run replaces nothing and says what differs; check passes there, and start serves the rows`,
  async run(bench) {
    const place = await placeOn(version, bench);
    const { file } = await tarball();
    const { origin } = bench.own(await startUpstream(serving(twoLists)));
    const words = ['portico', 'init', 'shop', '--yes', '--from', `users=${origin}/api/users`];
    const runInit = () => outOf(npmAt(place, ['exec', '--yes', `--package=${file}`, '--', ...words]));
    await runInit();
    const folder = join(place.folder, 'shop');
    const gateway = join(folder, 'portico.yaml');
    const mine = readFileSync(gateway, 'utf8').replace('cache: {', 'public: true, cache: {');
    writeFileSync(gateway, mine);
    const second = await runInit();
    assert.equal(readFileSync(gateway, 'utf8'), mine);
    assert.match(second, /kept {5}portico\.yaml: it differs/);
    assert.doesNotMatch(second, /written/);

    const shop = { ...place, folder };
    await installAt(shop, await tarball());
    await outOf(npmAt(shop, ['run', '-s', 'check']));
    const port = String(await freePort());
    const since = performance.now();
    const running = startAt(shop, [PORTICO, 'start'], { PORT: port, ADMIN_PORT: '0' });
    bench.own({ close: () => running.kill() });
    const url = `http://127.0.0.1:${port}/v1/users?limit=2`;
    // An unknown key would be refused, also where none is needed.
    const ms = await answered(bench, running, url, since, {});
    const answer = (await (await fetch(url)).json()) as { data: object[]; meta: object };
    assert.partialDeepStrictEqual(answer, {
      data: [{ name: 'Zoë A0' }, { name: 'Zoë B1' }],
      meta: { total: 27 },
    });
    running.signal('SIGTERM');
    assert.equal((await running.ended).code, 0);
    return promised(true, { 'first answer ms': ms });
  },
});

/** A host that asks its gateway once, and ends because nothing is left open. */
const HOST = `
async function run() {
  const portico = await createPortico({ config: 'node_modules/portico/config/portico.yaml' });
  const server = express().use(portico.handler).listen(0, async () => {
    const answer = await fetch('http://127.0.0.1:' + server.address().port + '/v1/openapi.json');
    console.log(answer.status, (await answer.json()).openapi);
    server.close();
    server.closeAllConnections();
    await portico.close();
  });
}
run();
`;
const HOSTS = {
  'host.mjs': `import express from 'express';\nimport { createPortico } from 'portico';${HOST}`,
  'host.cjs': `const express = require('express');\nconst { createPortico } = require('portico');${HOST}`,
};

const library = (version: string): BenchRow => ({
  id: `library-${version.split('.')[0]}`,
  name: `on Node ${version}, a host with Express imports or requires the installed package, serves an answer and ends`,
  async run(bench) {
    const place = await placeOn(version, bench);
    await installAt(place, await tarball());
    await outOf(npmAt(place, ['install', '--no-audit', '--no-fund', 'express@5']));
    for (const [name, text] of Object.entries(HOSTS)) {
      writeFileSync(join(place.folder, name), text);
      // Node 22 warns that `require` of a module is new there.
      const node = ['node', '--disable-warning=ExperimentalWarning', name];
      const host = await runAt(place, node, bench.samples.env);
      assert.deepEqual({ name, ...host }, { name, code: 0, out: '200 3.1.0\n', err: '' });
    }
    return promised(true, { hosts: Object.keys(HOSTS).length });
  },
});

const types: BenchRow = {
  id: 'package-2',
  name: 'publint and attw find no problem in the tarball, and its types fit a consumer by nodenext and by bundler',
  async run(bench) {
    const { file } = await tarball();
    const run = (...words: readonly string[]) => outOf(runTool(words));
    await run('publint/src/cli.js', 'run', file, '--strict');
    await run('@arethetypeswrong/cli/dist/index.js', file, '--profile', 'esm-only');
    const place = await placeOn('24', bench);
    await installAt(place, await tarball());
    writeFileSync(join(place.folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(place.folder, 'consumer.ts'), LIBRARY_CONSUMER);
    for (const by of ['nodenext', 'bundler'] as const) {
      const config = join(place.folder, `tsconfig.${by}.json`);
      writeFileSync(config, JSON.stringify(consumerTsconfig(by, PACKAGES)));
      await run('typescript/bin/tsc', '-p', config);
    }
    return promised(true, { problems: 0 });
  },
};

/** Runs a tool of this checkout. */
async function runTool([tool = '', ...words]: readonly string[]) {
  const { code, out, err } = await runProcess(NODE, [join(PACKAGES, tool), ...words]);
  return { code, out, err };
}

/** What is promised to those who put the package before a service of theirs, or into a program of theirs. */
export const userRows: readonly BenchRow[] = [
  types,
  init('22.15'),
  init('24'),
  library('22.15'),
  library('24'),
];
