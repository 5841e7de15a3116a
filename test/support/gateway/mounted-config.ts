import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ConfigCopy, copyConfig } from './config-copy.ts';

/** A configuration in a folder as Kubernetes mounts one: links to `..data`, which is a link to the folder of a version. */
export type MountedConfig = {
  /** The gateway's file. */
  readonly file: string;
  /** Writes another version beside the one that is seen, swaps the link by one rename, and removes the old version. */
  swap(change: (config: ConfigCopy) => unknown): void;
  remove(): void;
};

/** Mounts the committed configuration. `first` changes it before, and each later version has that change, too. */
export function mountConfig(first: (config: ConfigCopy) => unknown): MountedConfig {
  const folder = mkdtempSync(join(tmpdir(), 'portico-mounted-'));
  const data = join(folder, '..data');
  let version = 0;
  let current = '';

  function write(change: (config: ConfigCopy) => unknown): string {
    const copy = copyConfig();
    first(copy);
    change(copy);
    version += 1;
    const name = `..version-${version}`;
    mkdirSync(join(folder, name));
    for (const part of ['portico.yaml', 'sources', 'fixtures'])
      cpSync(join(dirname(copy.file), part), join(folder, name, part), { recursive: true });
    copy.remove();
    return name;
  }

  function link(name: string): void {
    symlinkSync(name, `${data}_tmp`);
    renameSync(`${data}_tmp`, data);
    if (current !== '') rmSync(join(folder, current), { recursive: true });
    current = name;
  }

  link(write(() => undefined));
  for (const part of readdirSync(join(folder, current)))
    symlinkSync(join('..data', part), join(folder, part));
  return {
    file: join(folder, 'portico.yaml'),
    swap: (change) => link(write(change)),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
