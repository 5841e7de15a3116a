// Finds the files that are delivered with the program (version, runbook, demo, example sources), in a source tree or in a build.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FileText } from '../../config/yaml/yaml-file.ts';

/**
 * The first of some places that exists. The place beside the program comes first, because the other one may belong to somebody
 * else.
 */
function firstOf(...places: readonly string[]): URL | undefined {
  return places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url));
}

/** The version of the package, read from its manifest beside `src` (or `dist`). */
export const version = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** The gateway file of the demo: it declares a migration to try out. */
export const demoFile = fileURLToPath(new URL('../../../config/demo.yaml', import.meta.url));

/** A text of the folder `config`, as it is delivered with the program. */
export const shippedText = (path: string) =>
  readFileSync(new URL(`../../../config/${path}`, import.meta.url), 'utf8');

/** Where editors find the schemas, and people the guides, once the package is installed. */
export const INSTALLED = 'node_modules/portico/config/';

/** A source file whose editor finds the schema of the installed package. */
export const withInstalledSchema = (text: string) =>
  text.replace('$schema=../source', `$schema=../${INSTALLED}source`);

/** The runbook that the operator's listener serves; empty if it was not installed. */
export function servedRunbook(): string {
  const found = firstOf('../../runbook.md', '../../../config/docs/runbook.md');
  return found === undefined ? '' : readFileSync(found, 'utf8');
}

/** The example sources, which say what is known of dialects; none if they were not installed. */
export function shippedExamples(): readonly FileText[] {
  const folder = firstOf('../../examples/', '../../../config/examples/');
  const names = folder === undefined ? [] : readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return names.sort().map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }));
}
