import { groupAt, patternAt } from '../../../src/adapter/pattern.ts';

const report = () => {
  throw new Error('the pattern is reported');
};

describe('a pattern of a source file', () => {
  it.each(['^(a+)+$', '^(a|a)*$', '^(\\w+\\s?)*$', '(a*)*b$'])(
    'decides on a text that is made to keep it busy, without trying all ways: %s',
    (text) => {
      const start = performance.now();
      expect(patternAt(text, report, []).test(`${'a'.repeat(27)}!`)).toBe(false);
      expect(performance.now() - start).toBeLessThan(500);
    },
  );

  it('finds its group as ever behind the point where it would have tried all ways', () => {
    const text = `${'a'.repeat(27)}!/x`;
    const start = performance.now();
    expect(groupAt('^(?:a+)+$|/([a-z])$', report, []).exec(text)?.[1]).toBe('x');
    expect(performance.now() - start).toBeLessThan(500);
  });
});
