import fc from 'fast-check';
import { filtersKey, queryKey } from '../../../src/contract/query.ts';
import { parseGet, parseList } from '../../support/pipeline/parse-as.ts';

type Asked = Readonly<Record<string, string>>;

const price = fc.record({
  whole: fc.constantFrom('0', '1', '10', '100', '12'),
  fraction: fc.constantFrom('', '.0', '.00', '.1', '.10', '.01', '.5'),
});
const category = fc.constantFrom('a', 'b', 'a b', 'a,eq', 'tA', '"', '\\', '/', '1/50/', 'ü', 'u\u0308');

/** A question, and the texts that a caller may write it with. */
const question = fc.record(
  {
    page: fc.integer({ min: 1, max: 12 }),
    limit: fc.constantFrom(1, 10, 50, 100),
    category,
    low: price,
    high: price,
  },
  { requiredKeys: [] },
);

type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

/** What makes two questions different. Written without the gateway's help. */
function meaning({ page = 1, limit = 50, category: label, low, high }: Question): string {
  const value = (bound: Question['low']) =>
    bound === undefined ? null : Number(bound.whole + bound.fraction);
  return JSON.stringify([page, limit, label ?? null, value(low), value(high)]);
}

function parametersOf({ page, limit, category: label, low, high }: Question, zeros: string): Asked {
  const all = {
    page: page === undefined ? undefined : zeros + String(page),
    limit: limit?.toString(),
    category: label,
    min_price: low === undefined ? undefined : zeros + low.whole + low.fraction,
    max_price: high === undefined ? undefined : high.whole + high.fraction,
  };
  return Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

function keyOf(parameters: Asked, reverse = false): string | undefined {
  const entries = Object.entries(parameters);
  const raw = new URLSearchParams(reverse ? entries.reverse() : entries).toString();
  try {
    return queryKey(parseList('products.list', raw));
  } catch {
    return undefined;
  }
}

describe('the key of a query', () => {
  it('is the same for the same question, however it is spelled and ordered', () => {
    fc.assert(
      fc.property(question, fc.constantFrom('', '0', '000'), (asked, zeros) => {
        const plain = keyOf(parametersOf(asked, ''));
        expect(keyOf({ ...parametersOf(asked, zeros), unknown: '1' }, true)).toBe(plain);
      }),
      { numRuns: 500 },
    );
  });

  it('differs for different questions', () => {
    fc.assert(
      fc.property(question, question, (a, b) => {
        const [left, right] = [keyOf(parametersOf(a, '')), keyOf(parametersOf(b, ''))];
        if (left === undefined || right === undefined) return;
        expect(left === right).toBe(meaning(a) === meaning(b));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not depend on the order in which filters are known', () => {
    const { filters } = parseList('products.list', 'category=a&min_price=1&max_price=2');
    expect(filtersKey(filters.toReversed())).toBe(filtersKey(filters));
  });

  it('tells sorts and directions apart', () => {
    const sorts = ['', 'sort=id', 'sort=-id', 'sort=name', 'sort=-name', 'sort=email', 'sort=created_at'];
    const keys = sorts.map((sort) => queryKey(parseList('users.list', sort)));
    expect(new Set(keys).size).toBe(sorts.length);
  });

  it('writes defaults like the values they stand for', () => {
    expect(keyOf({ page: '1', limit: '50' })).toBe(keyOf({}));
  });

  it('of a single record is its id, whatever its spelling', () => {
    expect(queryKey(parseGet('user_42'))).toBe('user_42');
    expect(queryKey(parseGet('%75ser_42', 'page=3'))).toBe('user_42');
  });
});
