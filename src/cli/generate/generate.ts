import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type CliContext, ExitError, exitCodes } from '../context.ts';
import { documents, documentText } from './documents.ts';

/** `portico generate`: writes the generated documents, or with `--check` fails where a committed one is stale. */
export function runGenerate(checkOnly: boolean, context: CliContext): void {
  let stale = false;
  for (const [file, make] of Object.entries(documents)) {
    const text = documentText(make);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    stale = true;
    if (checkOnly) context.err(`${file} is out of date; mend it with: npm run generate\n`);
    else writeFileSync(file, text);
  }
  if (checkOnly && stale) throw new ExitError(exitCodes.failure);
}
