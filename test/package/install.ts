import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { arch, env, execPath, platform } from 'node:process';
import { createFolder } from '../support/process/folder.ts';
import { runProcess, startProcess } from '../support/process/running-process.ts';

/** What `npm pack` has made. */
export type Tarball = {
  readonly file: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
};

/** A folder in which commands run on one Node, and nothing of this checkout is found. */
export type Place = {
  readonly folder: string;
  /** The directory of the Node. */
  readonly bin: string;
  /** The home of the user; it is empty at first. */
  readonly home: string;
};

/** What a machine needs to reach its registry: proxies, certificates, a home. Nothing that npm or jest has set. */
const surroundings = Object.fromEntries(
  Object.entries(env).filter(
    ([name]) => !/^(?:PATH$|npm_(?!config_registry)|NODE_(?!EXTRA_CA)|JEST_)/.test(name),
  ),
) as Record<string, string>;

// In the folder of a place, and without the compile cache of the tests.
const THERE = 'unset NODE_COMPILE_CACHE; cd "$0" && exec "$@"';

/** Starts a command at a place, as a user does. */
export function startAt(
  { folder, bin, home }: Place,
  words: readonly string[],
  more: Record<string, string> = {},
) {
  const PATH = [
    bin,
    ...(env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules')),
  ];
  return startProcess('sh', ['-c', THERE, folder, ...words], {
    PATH: PATH.join(delimiter),
    HOME: home,
    ...more,
  });
}

/** Runs a command at a place to its end. */
export async function runAt(place: Place, words: readonly string[], more: Record<string, string> = {}) {
  const running = startAt(place, words, more);
  const { code } = await running.ended;
  return { code, out: running.out, err: running.err };
}

/** Runs npm at a place, with the settings and the cache of this machine. */
export const npmAt = (place: Place, words: readonly string[]) =>
  runAt(place, ['npm', ...words], surroundings);

/** The same npm that a user has, on the Node of this checkout. */
async function pack(): Promise<Tarball> {
  const { path } = createFolder('tarball');
  const { code, out, err } = await runProcess(
    'npm',
    ['pack', '--json', '--pack-destination', path],
    surroundings,
  );
  assert.equal(code, 0, err);
  const [about] = JSON.parse(out.slice(out.indexOf('[\n'))) as [
    { filename: string; files: Tarball['files']; size: number; unpackedSize: number },
  ];
  return {
    file: join(path, about.filename),
    files: about.files,
    packedBytes: about.size,
    unpackedBytes: about.unpackedSize,
  };
}

let packed: Promise<Tarball> | undefined;

/** The tarball of this checkout; it is built and packed once. */
export function tarball(): Promise<Tarball> {
  return (packed ??= pack());
}

/** The directory of a Node: the one that runs this, or another version from the package that has its binary. */
export async function nodeOf(version: string, folder: string): Promise<string> {
  if (process.version.startsWith(`v${version}.`)) return dirname(execPath);
  const name = `node-${platform}-${arch}`;
  const { code, err } = await runProcess(
    'npm',
    ['install', '--prefix', folder, `${name}@${version}`],
    surroundings,
  );
  assert.equal(code, 0, err);
  return join(folder, 'node_modules', name, 'bin');
}

/** Installs the tarball at a place, and says what npm said and did. */
export async function installAt(place: Place, { file }: Tarball) {
  const { code, err } = await npmAt(place, ['install', '--no-audit', '--no-fund', file]);
  assert.equal(code, 0, err);
  const lock = JSON.parse(readFileSync(join(place.folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const packages = Object.values(lock.packages);
  return {
    warnings: err.split('\n').filter((line) => line !== ''),
    scripts: packages.filter(({ hasInstallScript }) => hasInstallScript === true).length,
    packages: packages.length,
    hasLicences: existsSync(join(place.folder, 'node_modules/portico/dist/THIRD_PARTY.txt')),
  };
}
