import { filtersTogetherClaims } from '../../../../../src/workbench/doctor/probes/filters-together.ts';
import { probeAlone, type Service } from '../../../../support/doctor/probe-alone.ts';

const MAP = '{ id: id, name: title, description: null, price: price, category: kind }';
const filters = (...lines: readonly string[]) => [`filters: { ${lines.join(', ')} }`];
const CATEGORY = "category: { eq: { query: { kind: '{value}' }, exactness: exact } }";
const PRICE =
  "price: { ge: { query: { min: '{value}' }, exactness: exact }, le: { query: { max: '{value}' }, exactness: exact } }";
const rows = Array.from({ length: 10 }, (_, index) => ({
  id: index + 1,
  kind: `k${index % 2}`,
  price: index,
}));

/** A list with three filters; `reads` names those that it heeds if there are several. */
const shop =
  (reads: readonly string[] = ['kind', 'min', 'max']): Service =>
  ({ query }) => {
    const given = ['kind', 'min', 'max'].filter((name) => query.has(name));
    const heeded = given.length > 1 ? given.filter((name) => reads.includes(name)) : given;
    const found = rows.filter((row) =>
      heeded.every((name) => {
        const value = query.get(name) ?? '';
        return name === 'kind'
          ? row.kind === value
          : name === 'min'
            ? row.price >= Number(value)
            : row.price <= Number(value);
      }),
    );
    const from = Number(query.get('from'));
    return { body: { total: found.length, rows: found.slice(from, from + Number(query.get('n'))) } };
  };

async function verdicts(service: Service, list: readonly string[], failed: readonly string[] = []) {
  const { findings } = await probeAlone(filtersTogetherClaims, service, { list, map: MAP }, { failed });
  return findings.map(({ probe, verdict }) => `${probe}: ${verdict}`);
}

describe('the probe of filters that are sent together', () => {
  it('tries each two, and all', async () => {
    const found = await verdicts(shop(), filters(CATEGORY, PRICE));
    expect(found.filter((one) => one.startsWith('filter'))).toEqual([
      'filters category eq, price ge: agrees',
      'filters category eq, price le: agrees',
      'filters price ge, price le: agrees',
      'filters together: agrees',
    ]);
  });

  it('differs for the pair of which the service reads one alone', async () => {
    const found = await verdicts(shop(['kind', 'max']), filters(CATEGORY, PRICE));
    expect(found).toContain('filters category eq, price ge: differs');
    expect(found).toContain('filters category eq, price le: agrees');
  });

  it('asks nothing about one filter', async () => {
    expect(await verdicts(shop(), filters(CATEGORY))).toEqual([]);
  });

  it('leaves out pairs with a filter that is wrong by itself', async () => {
    const found = await verdicts(shop(), filters(CATEGORY, PRICE), ['filter price ge']);
    expect(found.filter((one) => one.startsWith('filter'))).toEqual([
      'filters category eq, price le: agrees',
    ]);
  });
});
