// The files that `portico init` writes: templates that are delivered with the program, and what the sources add to them.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileDifference } from '../output/file-difference.ts';
import type { ReportBlock } from '../../workbench/explain/report/report.ts';
import { INSTALLED, shippedText, withInstalledSchema } from '../input/shipped-files.ts';

/** A file by its path in the folder. */
type StarterFile = { readonly path: string; readonly text: string };

/** The source files of the sample services, which `portico samples all` starts. */
export const sampleSources: readonly StarterFile[] = ['crm', 'catalog'].map((name) => ({
  path: `sources/${name}.yaml`,
  text: withInstalledSchema(shippedText(`sources/${name}.yaml`)),
}));

/** What the folder has in `sources/`. */
export type FoundSources = {
  /** The source of each resource. */
  readonly served: ReadonlyMap<string, string>;
  /** The variables that have no default, such as `SHOP_API_KEY`. */
  readonly variables: readonly string[];
};

/** All files but the sources, for what the sources serve. */
export function starterFiles(
  { served, variables }: FoundSources,
  isMinimal: boolean,
): readonly StarterFile[] {
  const lines = [...served].map(
    ([name, source]) => `  ${name}: { source: ${source}, cache: { fresh: 10s } }\n`,
  );
  const needed = variables.map((name) => `${name}=\n`);
  const credentials = needed.length === 0 ? [] : ['# What the sources need to be let in.\n', ...needed];
  const contract = shippedText('contract.yaml')
    .replace('$schema=', `$schema=${INSTALLED}`)
    .replace(
      '. See docs/contract.md.',
      `.\n# Delete what you do not serve, and add what is yours: ${INSTALLED}docs/contract.md\n# Whether a change breaks callers: npm run -s portico -- check --against <the file as it was>`,
    );
  const starter = (name: string) => shippedText(`starter/${name}`);
  return [
    { path: 'portico.yaml', text: [starter('portico-head.yaml'), ...lines].join('') },
    { path: '.env.example', text: [starter('env.example'), ...credentials].join('') },
    { path: '.gitignore', text: starter('gitignore') },
    ...(isMinimal
      ? []
      : [
          { path: 'contract.yaml', text: contract },
          { path: 'docker-compose.yml', text: starter('docker-compose.yml') },
          { path: 'package.json', text: starter('package.json') },
        ]),
  ];
}

/** Writes a file that is not there; of one that is there, says what is different. */
export function writeStarterFile(folder: string, { path, text }: StarterFile): ReportBlock {
  const file = join(folder, path);
  if (!existsSync(file)) {
    writeFileSync(file, text, { flag: 'wx' });
    return `written  ${path}`;
  }
  const found = readFileSync(file, 'utf8');
  if (found === text) return `as it is ${path}`;
  return {
    heading: `kept     ${path}: it differs (+ is what init would write)`,
    blocks: fileDifference(found, text),
  };
}
