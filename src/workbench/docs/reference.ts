// Writes config/docs/reference.md from the schemas of the configuration files.

import type * as z from 'zod';
import { gatewaySchema } from '../../config/schema/gateway.ts';
import { type Group, groupsOf, type Key, schemaAt } from './key-list.ts';
import { gatewaySections, type Section, sourceSections } from './sections.ts';
import { PATHS, VARIABLES, VALUES } from './texts.ts';
import { sourceSchema } from '../../config/schema/source.ts';

const HEAD = `# Reference of the configuration

<!-- Written by \`npm run generate\` from the schemas in src/config; edit those, not this file. -->

Every key of the two kinds of file, what it accepts, its default and what it does. The way from a URL to a working
source is described in [sources.md](sources.md). Unknown keys are errors. Editors complete both files from
\`portico.schema.json\` and \`source.schema.json\`.`;

/** One kind of configuration file, as a part of the reference: its sections, and the keys outside of them. */
type FileSpec = {
  readonly title: string;
  readonly schema: z.ZodObject;
  readonly sections: readonly Section[];
};

const files: readonly FileSpec[] = [
  { title: 'A source file: `config/sources/*.yaml`', schema: sourceSchema, sections: sourceSections },
  { title: 'The gateway file: `config/portico.yaml`', schema: gatewaySchema, sections: gatewaySections },
];

function keyText({ path, accepts, required, fallback, about }: Key): string {
  const need = required ? 'required' : fallback === undefined ? 'optional' : `default \`${fallback}\``;
  return `- **\`${path}\`**: ${accepts}; ${need}.${about === undefined ? '' : `\n  ${about}`}`;
}

function groupText({ title, about, keys }: Group): string {
  const head = title === undefined ? [] : [`#### \`${title}\``];
  return [...head, ...(about === undefined ? [] : [about]), keys.map(keyText).join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A section with its schema. */
type Part = { readonly section: Section; readonly schema: z.ZodType; readonly groups: readonly Group[] };

const anchor = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

function partsOf({ schema: file, sections }: FileSpec): { top: readonly Group[]; parts: readonly Part[] } {
  const placed = sections.map((section) => ({ section, schema: schemaAt(file, section.at) }));
  const linkFrom = (here: z.ZodType | undefined) => (of: z.ZodType) => {
    const name = placed.find(({ schema }) => schema === of && schema !== here)?.section.name;
    return name === undefined ? undefined : `[${name}](#${anchor(name)})`;
  };
  const parts = placed.map(({ section, schema }) => {
    return { section, schema, groups: groupsOf(schema, section.name, linkFrom(schema)) };
  });
  return { top: groupsOf(file, '', linkFrom(undefined)), parts };
}

function partText({ section: { name, intro, example }, groups }: Part): string {
  const shown = example === undefined ? [] : [`\`\`\`yaml\n${example}\n\`\`\``];
  return [`### ${name}`, intro, ...shown, ...groups.map(groupText)].join('\n\n');
}

function fileText(file: FileSpec): string {
  const { top, parts } = partsOf(file);
  return [`## ${file.title}`, ...top.map(groupText), ...parts.map(partText)].join('\n\n');
}

const link = (title: string) => `[${title.replaceAll('`', '')}](#${anchor(title)})`;

/** The table of contents: the parts in order, with the sections of each kind of file. */
function contentsText(): string {
  const titles = ['Values', ...files.map(({ title }) => title), 'Variables', 'Paths'];
  const sections = files.map(
    (file) =>
      `${file.title.split(':')[0] ?? ''}: ${file.sections.map(({ name }) => link(name)).join(' · ')}.`,
  );
  return [`**Contents**: ${titles.map(link).join(' · ')}`, ...sections].join('\n\n');
}

/** Writes the reference of all configuration keys, as Markdown. */
export function configReference(): string {
  return `${[HEAD, contentsText(), VALUES, ...files.map(fileText), VARIABLES, PATHS].join('\n\n')}\n`;
}

/**
 * The sections of the reference, for the test that compares them with the schemas.
 * @internal
 */
export function referenceParts(): readonly Part[] {
  return files.flatMap((file) => partsOf(file).parts);
}
