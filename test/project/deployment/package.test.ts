import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  readonly private?: boolean;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly bundled: readonly string[];
};

describe('the package', () => {
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
