import { readFileSync } from 'node:fs';

/** The version of the package, read from its manifest beside `src` (or `dist`). */
export const version = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
