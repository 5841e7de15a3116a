import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type BenchRow, promised } from '../faults/harness/row.ts';
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

/** What npm itself says is installed without the packages of the development. */
function installed(): ReadonlySet<string> {
  const { packages } = readJson('package-lock.json') as {
    packages: Record<string, { version: string; dev?: boolean; devOptional?: boolean }>;
  };
  const ours = Object.entries(packages).filter(
    ([path, one]) => path !== '' && one.dev !== true && one.devOptional !== true,
  );
  return new Set(ours.map(([path, { version }]) => `${path.split('node_modules/').at(-1) ?? ''}@${version}`));
}

const bill: BenchRow = {
  id: 'releases-1',
  name: 'the bill of materials has every package that is installed for production and no other, each with its hash, a licence of the allow list and what it needs',
  fast: true,
  async run() {
    const { code, out, err } = await runProcess('.ci/sbom', []);
    assert.equal(code, 0, err);
    const { metadata, components, dependencies } = JSON.parse(out) as Sbom;
    const refs = new Set(components.map((one) => one['bom-ref']));
    assert.deepEqual([...refs].sort(), [...installed()].sort());
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
