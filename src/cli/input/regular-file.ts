// Reads files that somebody names on the command line or that stand in a folder, and refuses pipes and devices.

import { readFileSync, statSync } from 'node:fs';

/** The text of a file. @throws Error if it cannot be read, or if it is a pipe or a device, because reading one may never end */
export function readRegularFile(path: string): string {
  if (!statSync(path).isFile())
    throw Object.assign(new Error('no regular file'), { code: 'no regular file' });
  return readFileSync(path, 'utf8');
}

/** Whether there is a file, or a link to one, that `readRegularFile` reads. */
export function isRegularFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
