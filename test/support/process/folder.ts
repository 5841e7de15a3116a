import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of a test's own, outside the checkout. */
export type Folder = { readonly path: string; remove(): void };

/** Creates an empty folder; the name only tells whose it is. */
export function createFolder(name: string): Folder {
  const path = mkdtempSync(join(tmpdir(), `portico-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true }) };
}
