import fc from 'fast-check';
import { createAcceptedCodings, readAcceptEncoding } from '../../../../src/http/listener/representation.ts';
import { finishes } from '../../../support/time/finishes.ts';

/** A member of the list, as the grammar of RFC 9110, section 12.5.3, has it. */
type Member = { readonly coding: string; readonly q: number | undefined };

const member = fc.record({
  coding: fc.constantFrom('gzip', 'br', 'identity', '*', 'deflate', 'zstd', 'GZip'),
  q: fc.option(fc.constantFrom(0, 0.001, 0.2, 0.5, 0.999, 1), { nil: undefined }),
});
const members = fc.uniqueArray(member, { selector: ({ coding }) => coding.toLowerCase(), maxLength: 6 });
const textOf = (list: readonly Member[]) =>
  list.map(({ coding, q }) => (q === undefined ? coding : `${coding} ; q=${q}`)).join(' , ');

/** The weight that a list gives a coding; `undefined` where it says nothing of it. */
function weightOf(list: readonly Member[], coding: string): number | undefined {
  const said =
    list.find((one) => one.coding.toLowerCase() === coding) ?? list.find((one) => one.coding === '*');
  return said && (said.q ?? 1);
}

describe('Accept-Encoding', () => {
  it('gives what the caller weighs most, br before gzip before neither, and never what it refuses', () => {
    fc.assert(
      fc.property(members, (list) => {
        const { best, all } = readAcceptEncoding(textOf(list));
        const weight = { br: weightOf(list, 'br') ?? 0, gzip: weightOf(list, 'gzip') ?? 0 };
        const expected = (['br', 'gzip'] as const)
          .filter((coding) => weight[coding] > 0)
          .sort((a, b) => weight[b] - weight[a]);
        expect(all).toEqual(expected);
        // A body as it is is always acceptable; it comes first only where it was said to be liked better.
        const plain = weightOf(list, 'identity') ?? 0;
        const [first] = expected;
        expect(best).toBe(first !== undefined && weight[first] >= plain ? first : undefined);
      }),
    );
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=0.9', 'gzip'],
    ['*', 'br'],
    ['identity, *;q=0.1', undefined],
    ['gzip;q=0', undefined],
    ['identity;q=0', undefined],
    ['*;q=0', undefined],
    ['identity;q=0, gzip', 'gzip'],
    ['gzip;q=nonsense', undefined],
    ['', undefined],
  ])('%j means %j', (text, best) => {
    expect(readAcceptEncoding(text).best).toBe(best);
  });

  it('of several lines is one list, and without a line nothing', () => {
    const acceptedCodings = createAcceptedCodings();
    expect(acceptedCodings(['gzip;q=0.5', 'br;q=0.1']).all).toEqual(['gzip', 'br']);
    expect(acceptedCodings([])).toEqual({ best: undefined, all: [] });
  });

  it('is read once for the same text, and goes on being right whatever else comes', () => {
    const acceptedCodings = createAcceptedCodings();
    const first = acceptedCodings(['gzip, br']);
    expect(acceptedCodings(['gzip, br'])).toBe(first);
    for (let i = 0; i < 1_000; i += 1) expect(acceptedCodings([`gzip, x${i}`]).best).toBe('gzip');
    expect(acceptedCodings(['gzip, br'])).toEqual(first);
  });

  it('takes any bytes, in linear time', () => {
    const hostile = fc.string({ unit: fc.constantFrom(...Array.from('gzip,br;q=0.1*"\\ \t()\u00e9')) });
    fc.assert(fc.property(hostile, (text) => Array.isArray(readAcceptEncoding(text).all)));
    for (const part of [',', 'gzip,', 'a;', '"', '\\', ' '])
      expect(finishes(() => readAcceptEncoding(part.repeat(300_000)).all)).toBeInstanceOf(Array);
  });
});
