import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { createConsoleFiles } from '../../../../src/admin/console/console-files.ts';
import { minifyAsset } from '../../../../src/admin/console/minify-asset.ts';
import { readSources } from '../../../house/code/source-tree.ts';

const KIB = 1024;
const root = new URL('../../../../', import.meta.url).pathname;
const page = readFileSync(join(root, 'src/admin/console/page/index.html'), 'utf8');

/** Every file that the page loads before it is complete. */
const loaded = ['index.html', ...[...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, name]) => name!)];

it('sends the page of the console in at most 75 KiB, its libraries in at most 31 of them', async () => {
  const files = createConsoleFiles();
  const sizes = await Promise.all(
    loaded.map(async (name) => ({ name, bytes: (await (await files.find(name))!.body('br')).length })),
  );
  const sum = (some: typeof sizes) => some.reduce((all, { bytes }) => all + bytes, 0) / KIB;
  const libraries = sum(sizes.filter(({ name }) => name.startsWith('vendor/')));
  const all = sum(sizes);
  process.stdout.write(
    `the console: ${all.toFixed(1)} KiB by brotli in ${sizes.length} files, ${libraries.toFixed(1)} KiB of libraries\n`,
  );
  expect(libraries).toBeLessThanOrEqual(31);
  expect(all).toBeLessThanOrEqual(75);
});

describe('the texts that are sent shorter', () => {
  const sources = readSources(root, 'src/admin/console/page');

  it('lose comments, indentation and blank lines, and nothing else', () => {
    const text = '/** Why. */\n\n/* Two\n   lines. */\nconst a =   1;\n\n  // So.\n  call();\n';
    expect(minifyAsset(text)).toBe('const a = 1;\ncall();\n');
  });

  it('have line breaks in templates of elements alone, and no two blanks in a row within a text', () => {
    const odd: string[] = [];
    for (const { path, syntax, text } of sources) {
      const visit = (node: ts.Node): void => {
        const isTemplate = ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
        const isOfElements =
          ts.isTaggedTemplateExpression(node.parent) && node.parent.tag.getText() === 'html';
        const words = text.slice(node.getStart(syntax), node.end);
        if (isTemplate && !isOfElements && words.includes('\n')) odd.push(`${path}: ${words}`);
        if (ts.isStringLiteral(node) && node.text.includes('  ')) odd.push(`${path}: ${words}`);
        ts.forEachChild(node, visit);
      };
      ts.forEachChild(syntax, visit);
    }
    expect(odd).toEqual([]);
  });

  it('say the same to a browser: what is left is what the compiler reads without comments', () => {
    const printer = ts.createPrinter({ removeComments: true });
    const read = (text: string) =>
      printer.printFile(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true));
    // Templates of elements may differ by the blanks around their line breaks.
    const plain = (text: string) => read(text).replaceAll(/\s+/g, ' ');
    const changed = sources.filter(({ text }) => plain(minifyAsset(text)) !== plain(text));
    expect(changed.map(({ path }) => path)).toEqual([]);
  });

  it('are all that the folder of the pages has', () => {
    const kinds = readdirSync(join(root, 'src/admin/console/page'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name.split('.').at(-1));
    expect([...new Set(kinds)].sort()).toEqual(['css', 'html', 'json', 'svg', 'ts']);
  });
});
