import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Replaces a file at once: a reader finds all of the old text or all of the new one. Only the user of the process may read it.
 * `draft` names what is written first, in the same folder; processes that write the same file need a draft each.
 * @throws Error of the file system
 */
export function replaceFile(folder: string, name: string, text: string, draft = `${name}.new`): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, draft);
  // Whatever stands there, such as a link to another file, is not written to.
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(path, join(folder, name));
}
