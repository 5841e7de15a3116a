import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { documentFiles, linksOf, readDocument } from '../documents/document.ts';

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  readonly private?: boolean;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly bundled: readonly string[];
};

/** The files of the tree that npm would pack; what the build makes is not among them. */
function packedFiles(): ReadonlySet<string> {
  const cwd = new URL('../../../', import.meta.url);
  const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(out) as [{ files: readonly { path: string }[] }];
  return new Set(files.map(({ path }) => path));
}

describe('the package', () => {
  it('has no document with a link to a file that is not in it', () => {
    const packed = [...packedFiles()];
    const documents = documentFiles.filter((file) => packed.includes(file)).map(readDocument);
    expect(documents.length).toBeGreaterThan(20);
    // Pictures are left out of the package because of their size; their texts stand in their places.
    const links = documents.flatMap(linksOf).filter(({ path }) => !path.endsWith('.png'));
    const isThere = (path: string) => packed.some((file) => file === path || file.startsWith(`${path}/`));
    expect(links.filter(({ path }) => !isThere(path)).map(({ to }) => to)).toEqual([]);
  });

  it('installs what the bundle loads at run time and nothing else', () => {
    const loaded = [...read('src/telemetry/span-exporter.ts').matchAll(/^ {2}'(@\S+)',$/gm)];
    expect(Object.keys(manifest.dependencies).sort()).toEqual(loaded.map(([, name]) => name).sort());
  });

  it('has all that is in its bundle as a package of the development', () => {
    expect(manifest.bundled.filter((name) => !(name in manifest.devDependencies))).toEqual([]);
  });

  it('runs no script where it is installed', () => {
    const atInstallation = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(Object.keys(manifest.scripts).filter((name) => atInstallation.includes(name))).toEqual([]);
  });

  it('can be published, after the checks and the tests, and after a build', () => {
    expect(manifest.private).toBeUndefined();
    expect(manifest.scripts).toMatchObject({
      prepublishOnly: 'npm run check && npm test',
      prepack: 'npm run build',
    });
  });

  it('is published by a tag, with its provenance', () => {
    const workflow = parse(read('.github/workflows/publish.yml')) as {
      on: object;
      permissions: object;
      jobs: { publish: { steps: readonly { run?: string }[] } };
    };
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    expect(workflow.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    const runs = workflow.jobs.publish.steps.map(({ run }) => run);
    expect(runs.at(-1)).toBe('npm publish --provenance --access public');
  });
});
