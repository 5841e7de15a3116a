import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of the committed configuration that a test may write to. */
export type ConfigCopy = {
  /** The gateway's file. */
  readonly file: string;
  /**
   * Changes a text in a file of the copy, such as `sources/crm.yaml`, and tells in which line, from 1. It fails where
   * there was nothing to change.
   */
  edit(name: string, from: string, to: string): number;
  /** Leaves a folder of the copy out, if it is there. */
  drop(name: string): void;
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
      const at = text.indexOf(from);
      if (at === -1) throw new Error(`${name} has nothing like ${from}`);
      writeFileSync(path, text.slice(0, at) + to + text.slice(at + from.length));
      return text.slice(0, at).split('\n').length;
    },
    drop: (name) => rmSync(join(folder, name), { recursive: true, force: true }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
