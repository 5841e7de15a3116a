import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Replaces a file that a process keeps on disk (`state.dir`) in one step: a reader finds either the whole old text or the whole new text. Only the user of the process may
 * read the file. `draft` is the name of the file that is written first, in the same folder; each process needs its own draft.
 * @throws Error of the file system
 */
export function replaceFile(folder: string, name: string, text: string, draft = `${name}.new`): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, draft);
  // Removed first, because the path may be a link, and the file behind it must not be written.
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
