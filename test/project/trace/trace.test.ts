import { runInNewContext } from 'node:vm';
import { ENTRY_HOOK, instrument } from './instrument.ts';
import { type Entry, followLayers, levelsOf, type LintConfig } from './layers.ts';

/** The names of the functions that a script enters, in order, and its value. */
function enteredBy(script: string): { names: readonly string[]; value: unknown } {
  const names: string[] = [];
  const context = { [ENTRY_HOOK]: (_path: string, name: string) => void names.push(name) };
  const value: unknown = runInNewContext(instrument('src/a.ts', script), context);
  return { names, value };
}

describe('an instrumented file', () => {
  it.each([
    ['a function', 'function go() { return 1; } go();', ['go'], 1],
    ['an arrow', 'const go = (x) => x + 1; go(1);', ['go'], 2],
    ['an arrow that answers an object', 'const go = () => ({ x: 1 }).x; go();', ['go'], 1],
    ['an arrow that answers an arrow', 'const go = (x) => (y) => x + y; go(1)(2);', ['go', '(anonymous)'], 3],
    ['an arrow that is a default', 'const go = (x = () => 1) => x(); go();', ['go', '(anonymous)'], 1],
    [
      'a method and a getter',
      'const a = { go() { return this.x; }, get x() { return 1; } }; a.go();',
      ['go', 'x'],
      1,
    ],
    [
      'a constructor below another',
      'class A { x = 1; } class B extends A { constructor() { super(); } } new B().x;',
      ['constructor'],
      1,
    ],
    ['a generator', 'function* go() { yield 1; } [...go()].length;', ['go'], 1],
    ['a callback', '[1, 2].map((x) => x).length;', ['[1, 2].map(…)', '[1, 2].map(…)'], 2],
  ])('reports %s, and does what it did', (_what, script, names, value) => {
    expect(enteredBy(script)).toEqual({ names, value });
  });
});

describe('the levels', () => {
  it('come from the table in eslint.config.js, the lowest first', () => {
    const levels = [[{ layer: 'kernel' }, { layer: 'store' }], [{ layer: 'http', packages: ['x'] }]];
    expect([...levelsOf({ levels })]).toEqual([
      ['src/kernel', 0],
      ['src/store', 0],
      ['src/http', 1],
    ]);
  });

  it('are found in the one of this checkout, which puts the entry of the process above all', async () => {
    const levels = levelsOf(
      (await import(new URL('../../../eslint.config.js', import.meta.url).href)) as LintConfig,
    );
    expect(levels.get('src/kernel')).toBe(0);
    expect(levels.get('src/main.ts')).toBe(Math.max(...levels.values()));
  });

  it('are missed where there is no such table', () => {
    expect(() => levelsOf({})).toThrow('has no table `levels`');
  });
});

describe('the way of a request', () => {
  const levels = new Map([
    ['src/kernel', 0],
    ['src/store', 1],
    ['src/http', 2],
    ['src/main.ts', 3],
  ]);
  const entry = (path: string, name = 'go'): Entry => ({ path: `src/${path}`, name, at: name.length });
  const follow = (...entries: readonly Entry[]) => followLayers(entries, levels);

  it('changes layers where the next function is in another first-level entry of src, not merely in another file', () => {
    const route = follow(entry('http/a.ts'), entry('http/b/c.ts'), entry('store/a.ts'), entry('kernel/a.ts'));
    expect(route).toMatchObject({ functions: 4, files: 4, changes: 2, climbs: 0 });
    expect(route.stays.map(({ layer }) => layer)).toEqual(['src/http', 'src/store', 'src/kernel']);
  });

  it('climbs where the next function is on a higher level', () => {
    expect(follow(entry('http/a.ts'), entry('kernel/a.ts'), entry('main.ts'))).toMatchObject({
      changes: 2,
      climbs: 1,
    });
  });

  it('counts a function where it is first entered, and beside that every call', () => {
    const again = [entry('store/a.ts'), entry('http/a.ts', 'other'), entry('store/a.ts')];
    expect(follow(entry('http/a.ts'), ...again)).toMatchObject({
      functions: 3,
      changes: 2,
      climbs: 1,
      everyCall: { calls: 4, changes: 3, climbs: 1 },
    });
  });

  it.each([
    'kernel/clock.ts',
    'admin/metrics.ts',
    'http/access-log.ts',
    'log/output.ts',
    'kernel/errors/fault.ts',
  ])('leaves out a call into %s', (path) => {
    expect(follow(entry('http/a.ts'), entry(path), entry('http/b.ts'))).toMatchObject({
      functions: 2,
      changes: 0,
    });
  });

  it('refuses a layer that has no level', () => {
    expect(() => follow(entry('attic/a.ts'))).toThrow('no level for src/attic');
  });
});
