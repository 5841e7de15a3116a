import { readdirSync, readFileSync } from 'node:fs';
import { parseYamlFile } from '../../../config/yaml/yaml-file.ts';
import { markdownTable } from './markdown-table.ts';

const FOLDER = 'config/examples';

/** What the index reads of an example; the examples' own tests hold their files against the schema. */
type Example = {
  auth?: { kind: string };
  decode?: { format?: string };
  resources: Record<
    string,
    { list: { window: { kind: string }; filters?: object; sort?: object; hydrate?: object } }
  >;
};

/** The first sentence of the comment at the head of a file, which says what the example is for. */
function purposeOf(text: string): string {
  const [head = ''] = text.replace(/^# yaml-language-server.*\n#\n/, '').split('\n#\n');
  const [sentence = ''] = head
    .replaceAll(/^# /gm, '')
    .replaceAll('\n', ' ')
    .split(/(?<=\.) (?=[A-Z(])/);
  return sentence.replace(/\.$/, '');
}

function rowOf(file: string): readonly string[] {
  const text = readFileSync(`${FOLDER}/${file}`, 'utf8');
  const { auth, decode, resources } = parseYamlFile(file, text, undefined, []).content() as Example;
  const lists = Object.entries(resources).map(([name, { list }]) => ({ name, ...list }));
  const windows = new Set(lists.map(({ window }) => `\`${window.kind}\``));
  const claims = new Set(
    lists.flatMap(({ filters, sort, hydrate }) =>
      Object.entries({ filters, sort, hydrate }).flatMap(([claim, value]) =>
        value === undefined ? [] : [claim],
      ),
    ),
  );
  return [
    `[${file.replace('.yaml', '')}](../examples/${file})`,
    purposeOf(text),
    [...windows].join(', '),
    `\`${auth?.kind ?? 'none'}\``,
    [...claims, decode?.format ?? 'json'].join(', '),
  ];
}

/** An index of the example sources: what each is for, and what it shows. */
export function exampleIndex(): string {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
  return markdownTable(['File', 'For', 'Window', '`auth`', 'Shows'], files.sort().map(rowOf));
}
