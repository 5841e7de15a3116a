import { existsSync, readFileSync } from 'node:fs';

/** Beside the program, where the folder of the configuration may be somebody else's. */
const PLACES = ['../../runbook.md', '../../../config/docs/runbook.md'];

/** The runbook that the operator's listener serves; empty where it was not installed. */
export function servedRunbook(): string {
  const found = PLACES.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url));
  return found === undefined ? '' : readFileSync(found, 'utf8');
}
