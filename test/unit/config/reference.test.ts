import { parse } from 'yaml';
import type { ListSpec } from '../../../src/config/schema/source.ts';
import { compileWindow } from '../../../src/source/adapter/plan/window.ts';
import { configJsonSchema } from '../../../src/workbench/docs/generate/documents.ts';
import { configReference, referenceParts } from '../../../src/workbench/docs/reference.ts';

const text = configReference();
const parts = referenceParts();

/** Every name of a key in a JSON Schema, wherever it stands. */
function keyNames(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(keyNames);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'properties'
      ? [...Object.keys(value as object), ...keyNames(Object.values(value))]
      : keyNames(value),
  );
}

describe('the reference of the configuration', () => {
  it.each(['gateway', 'source'] as const)('names every key of the %s file', (kind) => {
    const names = new Set(keyNames(configJsonSchema(kind, ['<name>'])));
    // A kind is the heading of its keys.
    names.delete('kind');
    names.delete('<name>');
    expect([...names].filter((name) => !new RegExp(`\\*\\*\`(?:\\S*\\.)?${name}\``).test(text))).toEqual([]);
  });

  it('says of every key what it does, but of maps whose keys say it', () => {
    const silent = parts.flatMap(({ groups }) =>
      groups.flatMap(({ keys }) => {
        const isMap = (path: string) =>
          keys.some((key) => /^[.[]/.test(key.path.slice(path.length)) && key.path.startsWith(path));
        return keys.filter(
          (key) => key.about === undefined && !key.accepts.includes('](#') && !isMap(key.path),
        );
      }),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('shows defaults as a file would have them', () => {
    expect(text).toContain('**`net.timeout`**: a duration above zero (`250ms`, `5s`, `10m`); default `5s`.');
    expect(text).toContain('**`net.bytesMax`**: a size (`512B`, `64KiB`, `2MiB`); default `8MiB`.');
    expect(text).toContain(
      'default `{ standard: { windows: [20 per 1s, 600 per 1m], onStoreFailure: open, dryRun: false } }`.',
    );
  });

  it('leads every link to a heading', () => {
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...text.matchAll(/\]\(#([^)]*)\)/g)].map(([, link]) => link);
    expect(links.filter((link) => !headings.includes(link ?? ''))).toEqual([]);
  });

  it('names every variable of every window', () => {
    const windows: ListSpec['window'][] = [
      { kind: 'offset', base: 0, sizeMax: 1, pastEnd: 'empty', shortPage: 'end' },
      { kind: 'page', base: 0, sizes: [1], pastEnd: 'empty', shortPage: 'end' },
      { kind: 'cursor', sizeMax: 1, next: 'next' },
      { kind: 'keyset', sizeMax: 1, key: 'id' },
      { kind: 'link', sizeMax: 1, next: { header: 'Link' } },
    ];
    for (const window of windows) {
      const row = text.split('\n').find((line) => line.includes(`window \`${window.kind}\``));
      for (const variable of compileWindow(window).variables) expect(row).toContain(`{${variable}}`);
    }
  });

  const examples = parts.flatMap(({ section, schema }) =>
    section.example === undefined ? [] : [{ name: section.name, example: section.example, schema }],
  );
  it.each(examples)('has an example of $name that its schema takes', ({ example, schema }) => {
    expect(schema.safeParse(parse(example)).error?.issues ?? []).toEqual([]);
  });
});
