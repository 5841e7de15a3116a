import fc from 'fast-check';
import { isForwardable, publicPath, upstreamTarget } from '../../../../src/http/passthrough/path.ts';
import { finishes } from '../../../support/time/finishes.ts';

/** Pieces that paths are made treacherous with, and plain ones. */
const piece = fc.constantFrom(
  '/',
  '.',
  '..',
  'a',
  '%2e',
  '%2E',
  '%2f',
  '%5c',
  '%252e',
  '%25',
  ';',
  ';x',
  '%3b',
  '\\',
  '~',
  '%20',
  '%00',
  'ü',
  '%c3%bc',
  '%ff',
  ' ',
  ...['．', '／', '＼', '‥', '％', '；', '．．', '․'].map(encodeURIComponent),
);

describe('a forwardable path', () => {
  it('names the same place to every reader: decoding, resolving and cutting parameters off change no segment', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = `/legacy/${pieces.join('')}`;
        fc.pre(isForwardable(path));
        const decoded = decodeURIComponent(path);
        const twice = decoded.replaceAll(/%(?:2e|2f|5c)/gi, decodeURIComponent);
        for (const read of [path, decoded, twice, decoded.normalize('NFKC')]) {
          expect(read.split('/')).toHaveLength(path.split('/').length);
          const segments = read.split(/[/\\]/).map((segment) => segment.replace(/;.*$/, ''));
          expect(segments).not.toContain('..');
          expect(segments).not.toContain('.');
        }
        expect(new URL(path, 'http://a').pathname).toBe(path);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['/legacy', '/legacy/', '/legacy/a.b/..c/...', '/legacy/%20%C3%BC', "/legacy/a;v=1/@:$&'()*+,=!~"])(
    'may be %s',
    (path) => {
      expect(isForwardable(path)).toBe(true);
    },
  );

  it.each(['／..', '‥', 'a／b', '．．', '＼', '％2e', 'a；b'])(
    'has no %s, which some services fold',
    (text) => {
      expect(isForwardable(`/legacy/${encodeURIComponent(text)}`)).toBe(false);
    },
  );

  it.each(['ﬁ', '½', 'Å', 'ｆｕｌｌ', '1.5．2'])('may have %s, which folds to no other segment', (text) => {
    expect(isForwardable(`/legacy/${encodeURIComponent(text)}`)).toBe(true);
  });

  it('is recognised in linear time', () => {
    for (const text of ['/%2', '/a', '%25', '/.', '%'])
      expect(finishes(() => isForwardable(`/${text.repeat(500_000)}"`))).toBe(false);
  });

  it('maps to the upstream and back to itself', () => {
    const rest = fc.stringMatching(/^(?:\/[a-z0-9]{1,5}){0,3}$/);
    fc.assert(
      fc.property(
        rest,
        fc.constantFrom('', '/api', '/old/api'),
        fc.boolean(),
        (tail, basePath, stripPath) => {
          const map = { path: '/legacy/orders', basePath, stripPath };
          const path = `/legacy/orders${tail}`;
          const there = upstreamTarget(map, { path, query: '' });
          expect(there.startsWith(`${basePath}/`) || there === basePath || there === '/').toBe(true);
          if (there !== '/') expect(publicPath(map, there)).toBe(path);
        },
      ),
    );
  });

  it('is never made from a path outside of the route', () => {
    const map = { path: '/legacy', basePath: '/api', stripPath: false };
    for (const path of ['/', '/apix/legacy', '/api', '/api/other', '/api/legacyx'])
      expect(publicPath(map, path)).toBeUndefined();
  });
});
