import { resources } from '../../support/reference.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf, documentFiles, fixedParts, linksOf, readCode, readDocument } from './document.ts';
import { parseRecordedQuery } from '../../../src/migration/replay/replay.ts';
import type { RecordedQuery } from '../../../src/migration/tasks/task-results.ts';

const root = new URL('../../../', import.meta.url).pathname;
const documents = documentFiles.map(readDocument);

const LINES_MAX = { 'README.md': 200, 'src/README.md': 150, 'test/README.md': 80 } as const;
const WIDTH_MAX = 120;

/** Files that the documents have their readers write. */
const TO_BE_WRITTEN = ['stock', 'shop', 'erp'].map((name) => `config/sources/${name}.yaml`);

/** Paths of the project that a text names in backticks, those with a placeholder left out. */
function pathsIn(text: string): readonly string[] {
  const named = [...text.matchAll(/`((?:src|test|config)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  return named.filter((path) => !TO_BE_WRITTEN.includes(path));
}

describe('the documents', () => {
  it.each(documents)('$file leads every link somewhere, anchors included', (document) => {
    const dead = linksOf(document).filter(({ path, anchor }) => {
      if (!existsSync(join(root, path))) return true;
      if (anchor === '') return false;
      return !readDocument(path).headings.some((heading) => anchorOf(heading.text) === anchor);
    });
    expect(dead.map(({ to }) => to)).toEqual([]);
  });

  it.each(documents)('$file has a table of contents that names each of its parts, in order', (document) => {
    const [, contents = ''] = /^\*\*Contents\*\*: ([^]*?)\n\n/m.exec(document.text) ?? [];
    const named = [...contents.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    const parts = document.headings.filter(({ level }) => level === 2);
    expect(named).toEqual(parts.map((heading) => anchorOf(heading.text)));
  });

  it.each(documents)('$file names only files of the project that there are', ({ text }) => {
    const found = (path: string) => existsSync(join(root, path)) || existsSync(join(root, `${path}.test.ts`));
    expect(pathsIn(text).filter((path) => !found(path))).toEqual([]);
  });

  it('are all of those in the tree', () => {
    const markdown = ['config', 'test', 'src'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
        .map((name) => `${folder}/${name}`),
    );
    expect(['README.md', ...markdown].sort()).toEqual([...documentFiles].sort());
  });
});

/** The messages in the first column of a table, without what differs from case to case. */
function quotedMessages(table: string): readonly string[] {
  const firstCells = table.split('\n').map((row) => row.split(' | ')[0] ?? '');
  return firstCells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => fixedParts(text)),
  );
}

describe('the guide to sources', () => {
  it('quotes only messages that Portico has', () => {
    const [, table = ''] =
      /^## Troubleshooting\n([^]*?)\n## /m.exec(readDocument('config/docs/sources.md').text) ?? [];
    const code = readCode();
    const messages = quotedMessages(table);
    expect(messages.length).toBeGreaterThan(15);
    expect(messages.filter((message) => !code.includes(message))).toEqual([]);
  });
});

describe('the guide to migrations', () => {
  const { text } = readDocument('config/docs/migrate.md');

  it('has ten steps, each with its command', () => {
    const [, section = ''] = /^## Ten steps\n([^]*?)^## /m.exec(text) ?? [];
    const [, ...parts] = section.split(/^\*\*(?=\d+\.\*\*)/m);
    expect(parts.map((part) => Number.parseInt(part, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const part of parts) expect(part).toMatch(/^portico migration /m);
  });

  it('writes recorded questions as `replay` reads them', () => {
    const lines = text.match(/^\{"operation".*$/gm) ?? [];
    const read = lines.map((line) => parseRecordedQuery(JSON.parse(line) as RecordedQuery, resources.users));
    expect(read.map(({ kind }) => kind)).toEqual(['list', 'get']);
  });
});

describe('the decisions', () => {
  const pages = documentFiles.filter((file) => /decisions\/\d/.test(file)).map(readDocument);

  it('are numbered without a gap, each under its number', () => {
    const numbers = pages.map(({ file }) => /\/(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]);
    expect(numbers).toEqual(pages.map((_, index) => String(index + 1).padStart(4, '0')));
    expect(pages.map(({ headings }) => headings[0]?.text.split(':')[0])).toEqual(numbers);
  });

  it.each(pages)(
    '$file says the context, the decision, what it costs, and when to look again',
    ({ prose }) => {
      const parts = [...prose.matchAll(/^\*\*([^*]+)\.\*\* /gm)].map(([, part]) => part);
      expect(parts).toEqual(['Context', 'Decision', 'What it costs', 'When to look again']);
      expect(prose.split('\n').length).toBeLessThanOrEqual(40);
    },
  );

  it('are all in their index', () => {
    const linked = linksOf(readDocument('config/docs/decisions/README.md')).map(({ path }) => path);
    expect(linked).toEqual(pages.map(({ file }) => file));
  });
});

describe('the README', () => {
  const { text } = readDocument('README.md');

  it.each(Object.entries(LINES_MAX))('%s has at most %i lines', (file, max) => {
    expect(readDocument(file).text.trimEnd().split('\n').length).toBeLessThanOrEqual(max);
  });

  it.each(Object.keys(LINES_MAX))('%s has no line of prose that is too wide', (file) => {
    const lines = readDocument(file).prose.split('\n');
    expect(lines.filter((line) => line.length > WIDTH_MAX && !line.startsWith('|'))).toEqual([]);
  });

  it('shows every picture that the rows of the browser make, with the guide to operations', () => {
    const folder = 'test/browser/screenshots';
    const shown = ['README.md', 'config/docs/operate.md'].map(readDocument).flatMap(linksOf);
    const pictures = shown.map(({ path }) => path).filter((path) => path.endsWith('.png'));
    expect(pictures.sort()).toEqual(
      readdirSync(join(root, folder))
        .map((name) => `${folder}/${name}`)
        .sort(),
    );
    expect(text.split('\n').slice(0, 25).join('\n')).toContain(`<img src="${folder}/overview.png"`);
  });

  it('names every layer of src once among the levels, in the page for those who change it', () => {
    const [, levels = ''] = /^\| Level [^]*?\n([^]*?)\n\n/m.exec(readDocument('src/README.md').text) ?? [];
    const named = levels.split('\n').flatMap((row) => {
      const layers = row.split(' | ')[1] ?? '';
      return [...layers.matchAll(/`([^`]+)`/g)].map(([, layer]) => layer);
    });
    const layers = readdirSync(join(root, 'src')).filter((name) => name !== 'README.md');
    expect(named.sort()).toEqual(layers.sort());
  });
});

describe('the guide to operations', () => {
  const { text } = readDocument('config/docs/operate.md');

  it('has every variable that the files in config read', () => {
    const files = [
      'portico.yaml',
      ...readdirSync(join(root, 'config/sources')).map((name) => `sources/${name}`),
    ];
    const yaml = files.map((file) =>
      readFileSync(join(root, 'config', file), 'utf8').replaceAll(/#.*$/gm, ''),
    );
    const read = [...yaml.join('\n').matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name);
    expect([...new Set(read)].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
