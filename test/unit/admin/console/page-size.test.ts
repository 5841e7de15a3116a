import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build, stop } from 'esbuild';
import ts from 'typescript';
import { createConsoleFiles } from '../../../../src/admin/console/console-files.ts';
import { consoleBuildOptions } from '../../../../src/admin/console/console-build-options.ts';
import { readSources } from '../../../project/code/source-tree.ts';

const KIB = 1024;
const root = new URL('../../../../', import.meta.url).pathname;
const page = readFileSync(join(root, 'src/admin/console/page/index.html'), 'utf8');

/** Every file that the page loads before it is complete. */
const loaded = ['index.html', ...[...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, name]) => name!)];

/** The libraries of the page alone, as they are in its script. */
async function bytesOfLibraries(): Promise<number> {
  const contents = `
    export * from 'preact';
    export * from 'preact/hooks';
    export { default as htm } from 'htm';
    export { default as uPlot } from 'uplot';`;
  const bundle = await build({
    ...consoleBuildOptions,
    entryPoints: [],
    stdin: { contents, resolveDir: root },
    outdir: root,
    write: false,
  });
  return brotliCompressSync(bundle.outputFiles[0]!.contents).length;
}

afterAll(stop);

it('sends the page of the console in at most 75 KiB, its libraries in at most 31 of them', async () => {
  const files = createConsoleFiles();
  const sizes = await Promise.all(
    loaded.map(async (name) => (await (await files.find(name))!.body('br')).length),
  );
  const libraries = (await bytesOfLibraries()) / KIB;
  const all = sizes.reduce((sum, bytes) => sum + bytes, 0) / KIB;
  process.stdout.write(
    `the console: ${all.toFixed(1)} KiB by brotli in ${sizes.length} files, ${libraries.toFixed(1)} KiB of libraries\n`,
  );
  expect(libraries).toBeLessThanOrEqual(31);
  expect(all).toBeLessThanOrEqual(75);
});

describe('the texts that are sent shorter', () => {
  const sources = readSources(root, 'src/admin/console/page');

  /** The texts of a script: its literals, and the parts of its templates. */
  function textsOf(text: string): string[] {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) found.push(node.text);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true));
    return found;
  }

  it('say the same to a browser: each template of elements is in the script as it was written', async () => {
    const script = (await (await createConsoleFiles().find('main.js'))!.body('identity')).toString();
    const sent = new Set(textsOf(script));
    const missing: string[] = [];
    for (const { path, syntax } of sources) {
      const visit = (node: ts.Node): void => {
        const isOfElements = ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'html';
        if (isOfElements) {
          const { template } = node;
          const parts = ts.isNoSubstitutionTemplateLiteral(template)
            ? [template]
            : [template.head, ...template.templateSpans.map(({ literal }) => literal)];
          for (const { text } of parts) if (!sent.has(text)) missing.push(`${path}: ${text}`);
        }
        ts.forEachChild(node, visit);
      };
      ts.forEachChild(syntax, visit);
    }
    expect(missing).toEqual([]);
  });

  it('are all that the folder of the pages has', () => {
    const kinds = readdirSync(join(root, 'src/admin/console/page'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name.split('.').at(-1));
    expect([...new Set(kinds)].sort()).toEqual(['css', 'html', 'json', 'svg', 'ts']);
  });
});
