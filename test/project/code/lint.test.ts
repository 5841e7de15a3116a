import { broken, undocumented } from './lint-source.ts';

it('refuses module mocks and enums', async () => {
  expect(await broken('test/unit/a.test.ts', `jest.mock('axios');\n`)).toEqual(['no-restricted-properties']);
  expect(await broken('src/kernel/clock.ts', `export enum Unit { Second }\n`)).toEqual([
    'no-restricted-syntax',
  ]);
});

describe('the length of what is read at once', () => {
  const long = (lines: number) => `  void 0;\n`.repeat(lines);

  it.each(['src/kernel/clock.ts', 'test/unit/a.test.ts'])('is 260 lines at most for %s', async (file) => {
    expect(await broken(file, long(260))).toEqual([]);
    expect(await broken(file, long(261))).toEqual(['max-lines']);
  });

  it('is 80 lines for a function, nested or not, from its first line to its last, and none for a list of tests', async () => {
    const rule = 'project/max-lines-per-function';
    const inFunction = (start: string, lines: number, end = '}') => `${start}\n${long(lines)}${end}\n`;
    for (const [start, end] of [
      ['async function go() {', '} void go();'],
      ['const go = () => {', '}; go();'],
      ['it("goes", () => {', '});'],
      ['class X { go() {', '} } void X;'],
    ] as const) {
      expect(await broken('test/unit/a.ts', inFunction(start, 78, end))).not.toContain(rule);
      expect(await broken('test/unit/a.ts', inFunction(start, 79, end))).toContain(rule);
    }
    for (const group of ['describe("x", () => {', 'describe.each([1])("x", () => {'])
      expect(await broken('test/unit/a.ts', inFunction(group, 100, '});'))).toEqual([]);
  });
});

describe('every export of src has a sentence', () => {
  it('be it a function, a constant, a class, a type, a pattern or a default', async () => {
    expect(
      await undocumented(
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
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 9]);
  });

  it('in a doc comment on the line above, the last of several, and not one that only has tags', async () => {
    expect(
      await undocumented(
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
        '// eslint-disable-next-line eqeqeq -- a reason',
        'export const g = 1;',
      ),
    ).toEqual([9, 12, 14, 17]);
  });

  it('one for an overloaded function, none for a re-export, and none can be exported away from its declaration', async () => {
    expect(
      await undocumented(
        "export { a } from './a.ts';",
        "export * from './b.ts';",
        '/** A sentence. */',
        'export function d(x: string): void;',
        'export function d(x: number): void;',
        'export function d(x: unknown): void {}',
        'export function e(x: string): void;',
        'export function e(x: unknown): void {}',
      ),
    ).toEqual([7]);
    expect(await broken('src/kernel/clock.ts', `const f = 1;\nexport { f as g };\n`)).toEqual([
      'no-restricted-syntax',
    ]);
  });
});
