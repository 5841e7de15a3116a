import {
  continuationForms,
  requestAfter,
} from '../../../../../src/workbench/infer/window/find-next-window.ts';
import type { Json } from '../../../../../src/kernel/json/json.ts';

const pathsIn = (document: Json) => continuationForms(document).map(({ next }) => next);

describe('an object with the parameters of the next window', () => {
  it.each<[Json, readonly string[]]>([
    [{ continue: { from: '5', cmcontinue: 'x|1' } }, ['continue']],
    [{ meta: { next: { offset: 5 } } }, ['meta.next']],
    [{ Cursor: { a: 1 }, more: { b: 2 } }, ['Cursor', 'more']],
    [{ next: {} }, []],
    [{ next: { a: { b: 1 } } }, []],
    [{ next: 'https://shop.example.com/?page=2' }, []],
    [{ other: { a: 1 } }, []],
    [{ next: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`p${n}`, n])) }, []],
    [[{ next: { a: 1 } }], []],
    [{ a: { b: { c: { d: { next: { e: 1 } } } } } }, []],
  ])('is found in %j at %j', (document, expected) => expect(pathsIn(document)).toEqual(expected));
});

describe('the request for the next window', () => {
  const request = { method: 'GET', path: '/items', query: { kind: 'x' }, headers: {} } as const;
  const reply = (document: Json) =>
    ({ reply: { status: 200, header: () => undefined }, document, rows: [] }) as unknown as Parameters<
      typeof requestAfter
    >[1];

  it('has every parameter that the reply names, beside its own', () => {
    const next = requestAfter(
      { kind: 'continue', next: 'continue' },
      reply({ continue: { from: 5, a: 'b&c' } }),
      request,
      'http://shop.example.com',
    );
    expect(next?.query).toEqual({ kind: 'x', from: '5', a: 'b&c' });
  });

  it('is none at the end', () => {
    expect(requestAfter({ kind: 'continue', next: 'continue' }, reply({}), request, '')).toBeUndefined();
  });
});
