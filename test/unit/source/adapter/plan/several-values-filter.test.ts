import { compileSeveralPart } from '../../../../../src/source/adapter/plan/several-values-filter.ts';
import { NO_MATCH } from '../../../../../src/source/adapter/plan/inverse.ts';

const natives: Readonly<Record<string, string | typeof NO_MATCH>> = {
  none: NO_MATCH,
  odd: 'x',
  comma: '1,2',
};
const render = (spec: Pick<Parameters<typeof compileSeveralPart>[0], 'item' | 'expr' | 'escape'>) => {
  const part = compileSeveralPart({ query: {}, exactness: 'exact', ...spec }, 'text', (value) => {
    return value === 'unsendable' ? undefined : (natives[String(value)] ?? String(value));
  });
  return (...values: readonly string[]) => part(values);
};

describe('several values of a filter', () => {
  it('are a list in a tree of a JSON body, of numbers if the file says so', () => {
    const item = { terms: { n: '{values}' } };
    expect(render({ item })('7', 'none', '8', '7')).toMatchObject({ item: { terms: { n: ['7', '8'] } } });
    expect(render({ item })('comma', '8')).toMatchObject({ item: { terms: { n: ['1,2', '8'] } } });
    const numbers = render({ item, escape: 'number' });
    expect(numbers('7', '8')).toMatchObject({ item: { terms: { n: [7, 8] } } });
    expect(numbers('7', 'odd')).toBeUndefined();
  });

  it('are escaped one by one in an expression, and not sent if one holds the separator or cannot be sent', () => {
    const part = render({ expr: 'n IN ({values})', escape: 'sql' });
    expect(part("O'Neil", '8')).toMatchObject({ expr: "n IN ('O''Neil','8')" });
    for (const other of ['comma', 'unsendable', '']) expect(part('8', other)).toBeUndefined();
  });
});
