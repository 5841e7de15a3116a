import { locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import { groupAt, patternAt } from '../../../../../src/source/adapter/spec/pattern.ts';
import { finishes } from '../../../../support/time/finishes.ts';

const here = locationIn(() => {
  throw new Error('the pattern is reported');
});

describe('a pattern of a source file', () => {
  it.each(['^(a+)+$', '^(a|a)*$', '^(\\w+\\s?)*$', '(a*)*b$'])(
    'decides on a text that is made to keep it busy, without trying all ways: %s',
    (text) => {
      expect(finishes(() => patternAt(text, here).test(`${'a'.repeat(60)}!`))).toBe(false);
    },
  );

  it('finds its group as ever behind the point where it would have tried all ways', () => {
    const text = `${'a'.repeat(60)}!/x`;
    const group = groupAt('^(?:a+)+$|/([a-z])$', here);
    expect(finishes(() => group.exec(text)?.[1])).toBe('x');
  });
});
