import fc from 'fast-check';
import { matchesEtag } from '../../../../src/http/listener/representation.ts';
import { finishes } from '../../../support/time/finishes.ts';

const opaque = fc.stringMatching(/^[\x21\x23-\x7e]{0,12}$/);

describe('If-None-Match', () => {
  it('matches exactly where the list holds the tag, weak or strong', () => {
    fc.assert(
      fc.property(opaque, fc.array(fc.tuple(fc.boolean(), opaque)), (own, others) => {
        const list = others.map(([weak, tag]) => `${weak ? 'W/' : ''}"${tag}"`);
        expect(matchesEtag([list.join(', ')].filter(Boolean), `"${own}"`)).toBe(
          others.some(([, tag]) => tag === own),
        );
        expect(matchesEtag([...list, `W/"${own}"`], `"${own}"`)).toBe(true);
      }),
    );
  });

  it.each([
    [['*'], true],
    [[' * '], true],
    [[], false],
    [[''], false],
    [['a'], false],
    [['"a'], false],
    [['a"'], false],
    [['"*"'], false],
  ])('of %j against "a" is %j', (lines, expected) => {
    expect(matchesEtag(lines, '"a"')).toBe(expected);
  });

  it('takes linear time', () => {
    const lines = ['"', 'W/', '"x'].map((part) => part.repeat(500_000));
    expect(finishes(() => matchesEtag(lines, '"a"'))).toBe(false);
  });
});
