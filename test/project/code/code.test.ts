import { exportsOf, importCircles, importsOf, namesExportedTwice } from './modules.ts';
import { codeLines, parseSource } from './source-tree.ts';

const lines = (...text: readonly string[]) => text.join('\n');

describe('what counts as a line of code', () => {
  it.each([
    ['a blank line', 'a();\n\nb();', 2],
    ['a comment on lines of its own', '/**\n * Why.\n */\na();\n// More.\n', 1],
    ['a comment behind code', 'a(); // why\n', 1],
    ['a comment without anything after it', 'a();\n/* the end */', 1],
  ])('leaves %s out', (_what, text, count) => {
    expect(codeLines(parseSource('src/a.ts', text))).toBe(count);
  });

  it('counts every line of a text that runs over several, even where it looks like a comment', () => {
    expect(codeLines(parseSource('src/a.ts', 'const a = `\n// not a comment\n`;'))).toBe(3);
  });
});

describe('which names a file exports', () => {
  it('finds declarations, patterns and lists, and a type beside its value once', () => {
    const text = lines(
      'export const [a, { b }] = x, c = 1;',
      'export function d() {}',
      'export type E = 1;',
      'export const E = 1;',
      'const f = 1;',
      'export { f as g };',
      "export type { h } from './h.ts';",
      'export { i };',
      'const hidden = 1;',
    );
    expect(exportsOf(parseSource('src/a.ts', text))).toEqual(['a', 'b', 'c', 'd', 'E', 'g', 'h', 'i']);
  });

  it('reports a name of two files, with both of them', () => {
    const files = [
      parseSource('src/a.ts', 'export const one = 1; export const two = 2;'),
      parseSource('src/b/c.ts', 'export type two = 2;'),
    ];
    expect(namesExportedTwice(files)).toEqual([{ name: 'two', paths: ['src/a.ts', 'src/b/c.ts'] }]);
  });
});

describe('which files a file imports', () => {
  it('finds imports, re-exports, types and what is loaded later, and no package', () => {
    const text = lines(
      "import { a } from './a.ts';",
      "import type { b } from '../b.ts';",
      "import 'node:fs';",
      "export * from './c.ts';",
      "let d: import('./d.ts').D;",
      "await import('./e.ts');",
    );
    expect(importsOf(parseSource('src/x/y.ts', text))).toEqual([
      'src/x/a.ts',
      'src/b.ts',
      'src/x/c.ts',
      'src/x/d.ts',
      'src/x/e.ts',
    ]);
  });

  it('finds each circle once, and no file that only leads to one', () => {
    const file = (name: string, ...targets: readonly string[]) =>
      parseSource(
        `src/${name}.ts`,
        lines(...targets.map((target) => `import type {} from './${target}.ts';`)),
      );
    const files = [file('a', 'b'), file('b', 'c'), file('c', 'd', 'b'), file('d', 'c', 'e'), file('e')];
    expect(importCircles(files)).toEqual([['src/b.ts', 'src/c.ts', 'src/d.ts']]);
  });
});
