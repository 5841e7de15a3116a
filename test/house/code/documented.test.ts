import { undocumentedExports } from './documented.ts';
import { parseSource, readSources } from './source-tree.ts';

const root = new URL('../../../', import.meta.url).pathname;
const lines = (...text: readonly string[]) => text.join('\n');

/** Name and line of the exports in a text that lack a sentence. */
function lacking(...text: readonly string[]): readonly string[] {
  return undocumentedExports(parseSource('src/a.ts', lines(...text))).map(
    ({ name, line }) => `${name}:${line}`,
  );
}

describe('which exports lack a sentence', () => {
  it('finds functions, constants, classes, types, patterns and a default, by name and line', () => {
    expect(
      lacking(
        'export function a() {}',
        'export async function b() {}',
        'export const c = 1;',
        'export const { d, e } = x, f = 1;',
        'export class G {}',
        'export type H = 1;',
        'export interface I {}',
        'const hidden = 1;',
        'export default c;',
      ),
    ).toEqual(['a:1', 'b:2', 'c:3', '{ d, e }, f:4', 'G:5', 'H:6', 'I:7', 'default:9']);
  });

  it('takes a doc comment on the line above, the last of several, and none that only has tags', () => {
    expect(
      lacking(
        '/** One sentence. */',
        'export const a = 1;',
        '/** Of something else. */',
        '/**',
        ' * Two sentences.',
        ' * @throws Error',
        ' */',
        'export function b() {}',
        '/** @throws Error */',
        'export function c() {}',
        '// No doc comment.',
        'export const d = 1;',
        '/* Nor this one. */',
        'export const e = 1;',
        '/** Of the file, and not of what follows. */',
        '',
        'export const f = 1;',
        '/** A sentence. */',
        '// eslint-disable-next-line a-rule -- a reason',
        'export const g = 1;',
      ),
    ).toEqual(['c:10', 'd:12', 'e:14', 'f:17']);
  });

  it('asks for one sentence of an overloaded function, and for none of a re-export', () => {
    expect(
      lacking(
        "export { a } from './a.ts';",
        "export * from './b.ts';",
        "import { c } from './c.ts';",
        'export { c };',
        '/** A sentence. */',
        'export function d(x: string): void;',
        'export function d(x: number): void;',
        'export function d(x: unknown): void {}',
        'export function e(x: string): void;',
        'export function e(x: unknown): void {}',
        'const f = 1;',
        'export { f as g };',
      ),
    ).toEqual(['e:9', 'f:11']);
  });
});

it('has a sentence above every export of src', () => {
  const found = readSources(root, 'src').flatMap(undocumentedExports);
  expect(found.map(({ path, line, name }) => `${path}:${line} ${name}`)).toEqual([]);
});
