import { readFileSync } from 'node:fs';

type LockEntry = {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

/** A package that Portico runs on, as package-lock.json has it. */
export type ProductionPackage = {
  readonly name: string;
  readonly version: string;
  /** Its licence as SPDX has it, such as `MIT`; empty where it names none. */
  readonly licence: string;
  /** Where npm gets it, and what it must be, such as `sha512-…`; empty where the lock file does not say. */
  readonly resolved: string;
  readonly integrity: string;
  /** `name@version` of the packages that it needs. */
  readonly needs: readonly string[];
};

/** Portico itself, and every package that it runs on. */
export type ProductionPackages = {
  readonly root: ProductionPackage;
  /** By name and version. */
  readonly packages: readonly ProductionPackage[];
};

const FOLDER = 'node_modules/';

/** Packages of the development of which the build copies files, so that they are shipped. What they need is not. */
const SHIPPED = ['swagger-ui-dist'];

/** Where the package is that another one gets by a name: in its own folder, or in one above it. */
function resolvedIn(
  entries: Readonly<Record<string, LockEntry>>,
  from: string,
  name: string,
): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf(FOLDER) - 1))) {
    const path = `${base === '' ? '' : `${base}/`}${FOLDER}${name}`;
    if (path in entries) return path;
    if (base === '') return undefined;
  }
}

/**
 * Reads the packages that Portico runs on from the package-lock.json beside it. It follows what each package needs, because
 * `npm sbom --omit dev` leaves out packages that a tool of the development needs, too.
 */
export function productionPackages(file = 'package-lock.json'): ProductionPackages {
  const { packages: entries } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Readonly<Record<string, LockEntry>>;
  };
  const found = new Map<string, ProductionPackage>();

  function visit(path: string): string {
    const entry = entries[path] ?? {};
    const name = entry.name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
    const id = `${name}@${entry.version ?? ''}`;
    if (found.has(path)) return id;
    const { version = '', license: licence = '', resolved = '', integrity = '' } = entry;
    const wanted = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
    const needs: string[] = [];
    found.set(path, { name, version, licence, resolved, integrity, needs });
    for (const need of Object.keys(wanted).sort()) {
      // A package for another platform, or one that may be missing, is not there.
      const at = resolvedIn(entries, path, need);
      if (at !== undefined) needs.push(visit(at));
    }
    return id;
  }

  visit('');
  const shipped = SHIPPED.map((name): ProductionPackage => {
    const {
      version = '',
      license: licence = '',
      resolved = '',
      integrity = '',
    } = entries[FOLDER + name] ?? {};
    return { name, version, licence, resolved, integrity, needs: [] };
  });
  const [root, ...needed] = [...found.values()];
  if (root === undefined) throw new Error(`${file} names no package`);
  const unique = new Map([...needed, ...shipped].map((one) => [`${one.name}@${one.version}`, one]));
  return {
    root: { ...root, needs: [...root.needs, ...shipped.map(({ name, version }) => `${name}@${version}`)] },
    packages: [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one),
  };
}
