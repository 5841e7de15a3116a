import { usualForms, jsonFilterCandidates } from '../../../../../src/workbench/infer/query/filter-forms.ts';

const queries = (...given: Parameters<typeof usualForms>) =>
  usualForms(...given).map(({ query }) => JSON.stringify(query));

describe('the forms of a filter', () => {
  it('begin with the plain name, if a value must be equal', () => {
    expect(usualForms('kind', 'eq', undefined)[0]).toEqual({
      query: { kind: '{value}' },
      spelledBy: undefined,
    });
  });

  it('never are the plain name alone, for a bound', () => {
    expect(queries('price', 'ge', undefined)).not.toContain('{"price":"{value}"}');
  });

  it.each<[Parameters<typeof usualForms>[1], string]>([
    ['ge', '{"price_gte":"{value}"}'],
    ['ge', '{"price__gte":"{value}"}'],
    ['ge', '{"price[gte]":"{value}"}'],
    ['ge', '{"price[$gte]":"{value}"}'],
    ['ge', '{"min_price":"{value}"}'],
    ['ge', '{"minPrice":"{value}"}'],
    ['ge', '{"price":"gte:{value}"}'],
    ['ge', '{"price":"gte.{value}"}'],
    ['le', '{"max_price":"{value}"}'],
    ['le', '{"filter[price][lte]":"{value}"}'],
    ['le', '{"filter[where][price][lte]":"{value}"}'],
    ['eq', '{"price":"eq.{value}"}'],
    ['eq', '{"filter[price]":"{value}"}'],
  ])('of %s have %s', (op, query) => expect(queries('price', op, undefined)).toContain(query));

  it.each(['a$&b', "it$'s", 'a=b', '<word>', '<Column>'])('have the column %s as it is called', (column) => {
    expect(queries(column, 'ge', undefined)).toEqual(
      expect.arrayContaining(
        [{ [`${column}_gte`]: '{value}' }, { [column]: 'gte:{value}' }].map((one) => JSON.stringify(one)),
      ),
    );
  });

  it('begin with the spelling that worked for another operator', () => {
    const worked = usualForms('price', 'ge', undefined).find(({ query }) => 'price[gte]' in query)?.spelledBy;
    expect(Object.keys(usualForms('price', 'le', worked)[0]?.query ?? {})).toEqual(['price[lte]']);
  });

  it('are each tried once', () => {
    const all = queries('price', 'le', 3);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('a filter that is a JSON object in one parameter', () => {
  const plain = { field: 'price', column: 'pr"ice' } as const;

  it('quotes the column, and has its operator as MongoDB writes it', () => {
    expect(jsonFilterCandidates({ ...plain, op: 'ge' } as never)[0]).toMatchObject({
      expr: String.raw`{"pr\"ice":{"$gte":{value}}}`,
      escape: 'number',
      joined: { query: { query: '{"$and":[{filter}]}' }, by: ',' },
    });
  });

  it('is the value itself, quoted as JSON, if it must be equal', () => {
    expect(jsonFilterCandidates({ ...plain, op: 'eq' } as never)[0]).toMatchObject({ escape: 'json' });
  });
});
