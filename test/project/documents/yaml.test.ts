import { loadContract } from '../../../src/config/load-contract.ts';
import type { Problem } from '../../../src/config/yaml/problem.ts';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { referenceParts } from '../../../src/workbench/docs/reference.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { documentFiles, readDocument } from './document.ts';

const root = new URL('../../../', import.meta.url).pathname;

/**
 * The YAML of the documents. What the fence says tells what it is: nothing, a whole source file; `gateway`, keys of the
 * gateway file; `contract`, a whole contract file; else a section of the reference. The reference's own examples are held against their schemas in its test.
 */
const written = documentFiles.filter((file) => file !== 'config/docs/reference.md').map(readDocument);
const snippets = written.flatMap(({ file, blocks }) =>
  blocks
    .filter(({ language }) => language === 'yaml')
    .map(({ section, text, line }) => ({ name: `${file}:${String(line)} ${section}`, section, yaml: text })),
);
const wholeSources = snippets.filter(({ section }) => section === '');
const gatewayParts = snippets.filter(({ section }) => section === 'gateway');
const contracts = snippets.filter(({ section }) => section === 'contract');
const sectionValues = snippets.filter(({ section }) => !['', 'gateway', 'contract'].includes(section));

/** Claims that stand in the text, such as `window: { kind: none }`; those with … are none. */
const claims = [
  ...readDocument('config/docs/sources.md').text.matchAll(
    /`((?:window|total|items|order|itemsAbsent|filterAlways|id|as|decode): [^`…]+)`/g,
  ),
].map(([, claim = '']) => claim);

const parts = new Map(referenceParts().map(({ section, schema }) => [section.name, schema]));

/** What is wrong with a snippet that shows some keys of a section, or items of a list of them. */
function issuesOf(schema: z.ZodType | undefined, value: unknown): readonly unknown[] {
  if (schema === undefined) return ['the reference has no such section'];
  if (Array.isArray(value)) return value.flatMap((item) => schema.safeParse(item).error?.issues ?? []);
  if (!(schema instanceof z.ZodObject)) return schema.safeParse(value).error?.issues ?? [];
  return schema.partial().safeParse(value).error?.issues ?? [];
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-documents-'));
  cpSync(join(root, 'config/sources'), join(folder, 'sources'), { recursive: true });
  writeFileSync(join(folder, 'coercions.js'), 'export const price = String;');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the YAML of the documents', () => {
  it.each(wholeSources)('is a source that passes check: $name', async ({ yaml }) => {
    const path = join(folder, 'source.yaml');
    writeFileSync(path, yaml);
    const { code, out, err } = await runCommand(['check', '--source', path]);
    expect({ code, err: code === 0 ? '' : out + err }).toEqual({ code: 0, err: '' });
  });

  it.each(gatewayParts)('passes check in the gateway file: $name', async ({ yaml }) => {
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'a secret of sixteen characters');
    const given = yaml.replaceAll(/\$\{file:[^}]*\}/g, `\${file:${secret}}`);
    const base = parse(readFileSync(join(root, 'config/portico.yaml'), 'utf8')) as object;
    const path = join(folder, 'portico.yaml');
    writeFileSync(path, stringify({ ...base, ...(parse(given) as object) }));
    const { code, out, err } = await runCommand(['--config', path, 'check', '--no-fixtures']);
    expect({ code, err: code === 0 ? '' : out + err }).toEqual({ code: 0, err: '' });
  });

  it.each(contracts)('is a contract that compiles: $name', ({ yaml }) => {
    const problems: Problem[] = [];
    loadContract({ file: 'contract.yaml', text: yaml }, { variables: {}, readFile: () => '' }, problems);
    expect(problems).toEqual([]);
  });

  it.each(sectionValues)('is what the format takes: $name', ({ section, yaml }) => {
    expect(issuesOf(parts.get(section), parse(yaml))).toEqual([]);
  });

  it.each(claims)('is what the format takes, inline: %s', (claim) => {
    const value = parse(claim) as Record<string, unknown>;
    const key = Object.keys(value)[0] ?? '';
    if (key === 'as') expect(issuesOf(parts.get('map'), { field: { from: 'path', ...value } })).toEqual([]);
    else if (key === 'decode') expect(issuesOf(parts.get('decode'), value['decode'])).toEqual([]);
    else if (value['id'] !== '$key')
      expect(issuesOf(parts.get(key === 'id' ? 'resource' : 'list'), value)).toEqual([]);
  });

  it('is there in each of its forms', () => {
    expect(wholeSources.length).toBeGreaterThan(1);
    expect(gatewayParts.length).toBeGreaterThan(3);
    expect(sectionValues.length).toBeGreaterThan(1);
    expect(claims.length).toBeGreaterThan(20);
  });
});
