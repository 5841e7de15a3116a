import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of the committed configuration that a test may write to. */
export type ConfigCopy = {
  /** The gateway's file. */
  readonly file: string;
  /** Changes a file of the copy, such as `sources/crm.yaml`; fails where there was nothing to change. */
  edit(name: string, from: string | RegExp, to: string): void;
  remove(): void;
};

/** Copies `config/` to a folder of its own. */
export function copyConfig(): ConfigCopy {
  const folder = mkdtempSync(join(tmpdir(), 'portico-config-'));
  cpSync('config', folder, { recursive: true });
  return {
    file: join(folder, 'portico.yaml'),
    edit(name, from, to) {
      const path = join(folder, name);
      const text = readFileSync(path, 'utf8');
      const changed = text.replace(from, to);
      if (changed === text) throw new Error(`${name} has nothing like ${String(from)}`);
      writeFileSync(path, changed);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
