import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { referenceParts } from '../../src/config/reference/reference.ts';
import { runCommand } from '../support/command/run-command.ts';

const root = new URL('../../', import.meta.url).pathname;
const file = 'config/add-a-source.md';
const text = readFileSync(join(root, file), 'utf8');

/** The YAML snippets of the guide: whole sources, and values of sections of the reference, by what they say they are. */
const snippets = [...text.matchAll(/^```yaml ?(\S*)\n(.*?)^```$/gms)].map(
  ([, section = '', yaml = ''], index) => ({
    section,
    yaml,
    name: `${index + 1} ${section === '' ? (/^name: (.*)$/m.exec(yaml)?.[1] ?? '') : section}`,
  }),
);

/** Claims that stand in the text, such as `window: { kind: none }`; those with … are none. */
const claims = [
  ...text.matchAll(/`((?:window|total|items|order|itemsAbsent|filterAlways|id|as|decode): [^`…]+)`/g),
].map(([, claim = '']) => claim);

const parts = new Map(referenceParts().map(({ section, schema }) => [section.name, schema]));

/** What is wrong with a snippet that shows some keys of a section, or items of a list of them. */
function issuesOf(schema: z.ZodType | undefined, value: unknown): readonly unknown[] {
  if (schema === undefined) return ['the reference has no such section'];
  if (Array.isArray(value)) return value.flatMap((item) => schema.safeParse(item).error?.issues ?? []);
  if (!(schema instanceof z.ZodObject)) return schema.safeParse(value).error?.issues ?? [];
  return schema.partial().safeParse(value).error?.issues ?? [];
}

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const headingsOf = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slug(heading));

describe('the guide to adding a source', () => {
  let folder = '';
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'portico-guide-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(snippets.filter(({ section }) => section === ''))(
    'has a sound source: $name',
    async ({ name, yaml }) => {
      const path = join(folder, `${name.replaceAll(/\W/g, '-')}.yaml`);
      writeFileSync(path, yaml);
      const { code, out, err } = await runCommand(['check', '--source', path]);
      expect({ code, err: code === 0 ? '' : out + err }).toEqual({ code: 0, err: '' });
    },
  );

  it.each(snippets.filter(({ section }) => section !== ''))(
    'shows what the format takes: $name',
    ({ section, yaml }) => {
      expect(issuesOf(parts.get(section), parse(yaml))).toEqual([]);
    },
  );

  it.each(claims)('has an inline claim that the format takes: %s', (claim) => {
    const value = parse(claim) as Record<string, unknown>;
    const key = Object.keys(value)[0] ?? '';
    if (key === 'as') expect(issuesOf(parts.get('map'), { field: { from: 'path', ...value } })).toEqual([]);
    else if (key === 'decode') expect(issuesOf(parts.get('decode'), value['decode'])).toEqual([]);
    else if (value['id'] !== '$key')
      expect(issuesOf(parts.get(key === 'id' ? 'resource' : 'list'), value)).toEqual([]);
  });

  it('has more than a few of both', () => {
    expect(snippets.filter(({ section }) => section === '').length).toBeGreaterThan(9);
    expect(snippets.filter(({ section }) => section !== '').length).toBeGreaterThan(4);
  });

  it('leads its links somewhere', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const dead = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      if (/^https?:/.test(path)) return false;
      try {
        const target = path === '' ? text : readFileSync(join(root, dirname(file), path), 'utf8');
        return anchor !== undefined && !headingsOf(target).includes(anchor);
      } catch (error) {
        // A folder is a target, too.
        return (error as NodeJS.ErrnoException).code !== 'EISDIR';
      }
    });
    expect(dead).toEqual([]);
  });
});
