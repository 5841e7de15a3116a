import fc from 'fast-check';
import { isHost, readHead, parseRequestTarget } from '../../../../src/http/listener/request-head.ts';

describe('the head of a request', () => {
  it('keeps every value of the headers that matter, in their order and whatever the case of their names', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.constantFrom('Authorization', 'AUTHORIZATION', 'x-api-key', 'Other'), fc.string()),
        ),
        (fields) => {
          const head = readHead(fields.flat());
          const values = (name: string) =>
            fields.filter((field) => field[0].toLowerCase() === name).map((field) => field[1]);
          expect(head.authorization).toEqual(values('authorization'));
          expect(head.apiKey).toEqual(values('x-api-key'));
          expect(head.host).toEqual([]);
        },
      ),
    );
  });

  it('reads targets in origin form as a path and a query, without decoding either', () => {
    const path = fc.stringMatching(/^\/[!-"$->@-~]{0,20}$/);
    const query = fc.stringMatching(/^[!-"$-~]{0,20}$/);
    fc.assert(
      fc.property(path, query, (p, q) => {
        expect(parseRequestTarget(`${p}?${q}`)).toEqual({ path: p, query: q });
        expect(parseRequestTarget(`HTTP://a.example:80${p}?${q}`)).toEqual({ path: p, query: q });
        expect(parseRequestTarget(p)).toEqual({ path: p, query: '' });
      }),
    );
  });

  it.each([
    ['http://a', { path: '/', query: '' }],
    ['http://a?b', { path: '/', query: 'b' }],
    ['https://[::1]:8/x', { path: '/x', query: '' }],
    ['//a/b', { path: '//a/b', query: '' }],
    ['http://', undefined],
    ['http:///x', undefined],
    ['http://u@a/x', undefined],
    ['http://[::1/x', undefined],
    ['ftp://a/x', undefined],
    ['a.example:443', undefined],
    ['*', undefined],
    ['', undefined],
  ])('reads the target %s', (target, expected) => {
    expect(parseRequestTarget(target)).toEqual(expected);
  });

  it.each([
    ['api.example.test', true],
    ['api.example.test:8080', true],
    ['[::1]:80', true],
    ['', true],
    ['a b', false],
    ['a/b', false],
    ['a@b', false],
    ['a:b', false],
    ['a,b:80:80', false],
  ])('takes %s for a host: %s', (value, expected) => {
    expect(isHost(value)).toBe(expected);
  });
});
