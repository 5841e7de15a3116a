import { sourceSchema } from '../../../src/config/schema/source.ts';

/** The page sizes of a source that says of them what is given. */
function sizesOf(sizes: unknown): readonly number[] | undefined {
  const { data } = sourceSchema.safeParse({
    source: 1,
    name: 'shop',
    net: { baseUrl: 'http://shop.example' },
    outcomes: [{ status: 200, is: 'ok' }],
    resources: {
      products: {
        id: { kind: 'number' },
        list: { request: { path: '/' }, window: { kind: 'page', sizes }, items: '', map: {} },
      },
    },
  });
  const window = data?.resources.products?.list.window;
  return window?.kind === 'page' ? window.sizes : undefined;
}

describe('page sizes', () => {
  it('are the ones written out', () => expect(sizesOf([20, 50])).toEqual([20, 50]));

  it('are all from 1 where a source takes any', () => expect(sizesOf({ upTo: 4 })).toEqual([1, 2, 3, 4]));

  it.each([[[]], [{ upTo: 0 }], [{ upTo: 1001 }], [{}]])('cannot be %j', (sizes) => {
    expect(sizesOf(sizes)).toBeUndefined();
  });
});
