import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { NODE } from '../support/gateway/gateway-process.ts';
import { createFolder } from '../support/process/folder.ts';
import { runProcess } from '../support/process/running-process.ts';
import { CHART, readYaml } from './harness/chart.ts';

/** Licences under which a copy may be used, changed and sold. */
const ALLOWED = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', '0BSD'];

type Component = {
  readonly 'bom-ref': string;
  readonly hashes?: readonly { readonly content: string }[];
  readonly licenses?: readonly { readonly license?: { readonly id: string } }[];
};
type Sbom = {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;

/** What is in the program, as its build says, and what npm installs with it: `name@version`. */
async function shipped(folder: string): Promise<readonly string[]> {
  const { code, err } = await runProcess(NODE, ['src/cli/build/bundle.ts', `--outdir=${folder}`]);
  assert.equal(code, 0, err);
  const titles = readFileSync(`${folder}/THIRD_PARTY.txt`, 'utf8').match(/^== .*$/gm) ?? [];
  const bundled = titles.flatMap((title) => [...title.matchAll(/(\S+) (\d\S*) \(/g)]);
  const { packages } = readJson('package-lock.json') as {
    packages: Record<string, { version: string; dev?: boolean; devOptional?: boolean }>;
  };
  const installed = Object.entries(packages).filter(
    ([path, one]) => path !== '' && one.dev !== true && one.devOptional !== true,
  );
  return [
    ...bundled.map(([, name = '', version = '']) => `${name}@${version}`),
    ...installed.map(([path, { version }]) => `${path.split('node_modules/').at(-1) ?? ''}@${version}`),
  ];
}

/** The packages that the manifest names for the development alone. */
function tools(): readonly string[] {
  const { devDependencies, bundled } = readJson('package.json') as {
    devDependencies: object;
    bundled: readonly string[];
  };
  return Object.keys(devDependencies).filter((name) => !bundled.includes(name));
}

const bill: BenchRow = {
  id: 'releases-1',
  name: 'the bill of materials has every package that is bundled or installed and no tool of the development, each with its hash, a licence of the allow list and what it needs',
  fast: true,
  async run(bench) {
    const folder = createFolder('bill');
    bench.own({ close: () => folder.remove() });
    const { code, out, err } = await runProcess('.ci/sbom', []);
    assert.equal(code, 0, err);
    const { metadata, components, dependencies } = JSON.parse(out) as Sbom;
    const refs = new Set(components.map((one) => one['bom-ref']));
    const missing = (await shipped(folder.path)).filter((ref) => !refs.has(ref));
    assert.deepEqual(missing, []);
    const named = new Set([...refs].map((ref) => ref.slice(0, ref.lastIndexOf('@'))));
    assert.deepEqual(
      tools().filter((name) => named.has(name)),
      [],
    );
    for (const { licenses, hashes, ...one } of components) {
      assert.ok(ALLOWED.includes(licenses?.[0]?.license?.id ?? ''), `the licence of ${one['bom-ref']}`);
      assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/, one['bom-ref']);
    }
    const reached = new Set<string>();
    const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const visit = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const next of needs.get(ref) ?? []) visit(next);
    };
    visit(metadata.component['bom-ref']);
    assert.equal(reached.size, refs.size + 1, 'each is needed by something');
    return promised(true, {
      packages: refs.size,
      licences: new Set(components.map((one) => one.licenses?.[0]?.license?.id)).size,
    });
  },
};

const numbered: BenchRow = {
  id: 'releases-2',
  name: 'package.json, its lock file, the chart and the top of the changelog have one version',
  fast: true,
  run() {
    const { version } = readJson('package.json');
    const [, changelog] = /^## (\S+)$/m.exec(readFileSync('config/CHANGELOG.md', 'utf8')) ?? [];
    const about = readYaml(`${CHART}/Chart.yaml`) as Record<string, unknown>;
    const lock = readJson('package-lock.json') as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    const all = [lock.version, lock.packages['']?.version, about['version'], about['appVersion'], changelog];
    assert.deepEqual(
      all,
      all.map(() => version),
    );
    return Promise.resolve(promised(true, { version: String(version), places: all.length + 1 }));
  },
};

/** What a version number promises. */
export const releaseRows: readonly BenchRow[] = [bill, numbered];
