import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { FileText } from '../../config/load.ts';

/** The first of some places that exists. Beside the program comes first: the folder of the configuration may be somebody else's. */
function firstOf(...places: readonly string[]): URL | undefined {
  return places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url));
}

/** The runbook that the operator's listener serves; empty where it was not installed. */
export function servedRunbook(): string {
  const found = firstOf('../../runbook.md', '../../../config/docs/runbook.md');
  return found === undefined ? '' : readFileSync(found, 'utf8');
}

/** The example sources, which say what is known of dialects; none where they were not installed. */
export function shippedExamples(): readonly FileText[] {
  const folder = firstOf('../../examples/', '../../../config/examples/');
  const names = folder === undefined ? [] : readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return names.sort().map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }));
}
