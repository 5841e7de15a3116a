// `portico generate`: writes the documents that are made from the code, so that they cannot differ from it. Developers use
// it.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type CliContext, ExitError, exitCodes } from './context/context.ts';
import { documents, documentText } from '../workbench/docs/generate/documents.ts';
import { createMergedMetrics } from '../gateway/workers/merged-metrics.ts';
import { generatedSections, replaceSection } from '../workbench/docs/generate/generated-sections.ts';

/** Every file that is generated, or has generated parts: its text now (`undefined`: no file), and what it should be. */
function generateAll() {
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  const whole = Object.entries(documents).map(([file, make]) => {
    return { file, current: read(file), text: documentText(make) };
  });
  const sections = generatedSections(createMergedMetrics({ workers: () => [] }).describe());
  const parts = Object.entries(sections).map(([file, makers]) => {
    const current = readFileSync(file, 'utf8');
    const text = Object.entries(makers).reduce(
      (written, [name, make]) => replaceSection(written, name, make()),
      current,
    );
    return { file, current, text };
  });
  return [...whole, ...parts];
}

/** The options of `portico generate`. */
export type GenerateOptions = { readonly check?: boolean };

/** `portico generate`: writes the generated documents, or with `--check` fails if one is out of date. */
export function runGenerate({ check }: GenerateOptions, context: CliContext): void {
  const stale = generateAll().filter(({ current, text }) => current !== text);
  for (const { file, text } of stale) {
    if (check === true) context.err(`${file} is out of date; update it with: npm run generate\n`);
    else writeFileSync(file, text);
  }
  if (check === true && stale.length > 0) throw new ExitError(exitCodes.failure);
}
