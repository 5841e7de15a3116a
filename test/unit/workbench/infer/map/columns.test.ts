import type { JsonObject } from '../../../../../src/kernel/json/json.ts';
import { columnsOf, knownValues } from '../../../../../src/workbench/infer/map/columns.ts';
import {
  candidatesText,
  holdsTimes,
  maskedSample,
  whyNoName,
} from '../../../../../src/workbench/infer/map/describe-columns.ts';

/** The paths of the columns of some rows, and their values. */
const pathsOf = (...rows: readonly JsonObject[]) =>
  Object.fromEntries(columnsOf(rows).map(({ path, values }) => [path, values]));

describe('the columns of rows', () => {
  it('are their scalars, in the order of the document', () => {
    expect(Object.keys(pathsOf({ b: 1, a: { c: 'x', d: true } }))).toEqual(['b', 'a.c', 'a.d']);
  });

  it('have a value for each row, and none where a row lacks it', () => {
    const [column] = columnsOf([{ a: 1 }, {}, { a: null }]);
    expect(column?.values).toEqual([1, undefined, null]);
    expect(column && knownValues(column)).toEqual([1]);
  });

  it('take the first of a list, and the primary one', () => {
    const emails = [
      { value: 'a@x', primary: false },
      { value: 'b@x', primary: true },
    ];
    expect(pathsOf({ emails })).toMatchObject({
      'emails[?primary==true].value': ['b@x'],
      'emails[0].value': ['a@x'],
    });
  });

  it('take the values of named pairs by their names', () => {
    const attributes = [
      { code: 'colour', value: 'red' },
      { code: 'size', value: 'L' },
    ];
    const found = pathsOf({ attributes });
    expect(
      Object.entries(found)
        .filter(([path]) => path.includes('colour'))
        .flatMap(([, values]) => values),
    ).toContain('red');
  });

  it('take the label of a reference', () => {
    expect(pathsOf({ category: [4, 'Office'] })).toMatchObject({ 'category[1]': ['Office'] });
  });

  it('take a text or the first of a list of texts, whichever stands there', () => {
    expect(pathsOf({ name: 'a' }, { name: ['b', 'c'] })).toEqual({ 'name[0] | name': ['a', 'b'] });
  });

  it.each(['password', 'api_key', 'access_token'])('leave out secrets: %s', (key) => {
    expect(Object.keys(pathsOf({ id: 1, [key]: 'x' }))).toEqual(['id']);
  });

  it('leave out a key that a file would read as a variable', () => {
    expect(Object.keys(pathsOf({ id: 1, '${HOME}': 'x' }))).toEqual(['id']);
  });
});

describe('the sample of a value', () => {
  it.each([
    ['Ada 7', 'Aaa 9'],
    ['  two   words ', 'aaa aaaaa'],
    ['Ünï', 'Aaa'],
    ['a${B}"', 'a??A??'],
    ['x'.repeat(30), `${'a'.repeat(20)}…`],
    [12.5, '99.9'],
    [null, ''],
  ])('of %j is %j', (value, masked) => expect(maskedSample(value)).toBe(masked));
});

describe('the columns that are offered for a field', () => {
  const columns = columnsOf([
    { id: 1, title: 'Kettle', price: '1.299,00', made: '2020-05-01', maker: { title: 'ACME' } },
    { id: 2, title: 'Pan', price: '9,50', made: '2021-05-01', maker: { title: 'ACME' } },
  ]);
  const offered = (...given: Parameters<typeof candidatesText>) =>
    candidatesText(...given)
      .split(', ')
      .map((one) => one.split(' ')[0]);

  it('are texts for a text, those of the record itself first', () => {
    expect(offered('text', columns)).toEqual(['title', 'maker.title']);
  });
  it('are amounts for a price', () => expect(offered('decimal', columns)).toEqual(['id', 'price']));
  it('are times for a time', () => expect(offered('datetime', columns)).toEqual(['made']));
  it('leave out those that are taken', () => {
    expect(
      offered(
        'datetime',
        columns,
        columns.filter(({ path }) => path === 'made'),
      ),
    ).toEqual(['']);
  });
  it('show no value', () => expect(candidatesText('text', columns)).not.toMatch(/Kettle|ACME/));
});

describe('a column of times', () => {
  it.each([
    [['2020-05-01', '2021-06-02'], true],
    [['20200501', '20210602'], false],
    [['2020-05-01', 'soon'], false],
    [[null, ''], false],
  ])('%j: %s', (values, expected) => {
    expect(holdsTimes({ path: 'at', words: ['at'], values })).toBe(expected);
  });
});

describe('a column that is hardly the name', () => {
  it('has few values in many records', () => {
    const rows = Array.from({ length: 48 }, (_, n) => ({ id: n, kind: `k${n % 3}` }));
    const columns = columnsOf(rows);
    const kind = columns.find(({ path }) => path === 'kind');
    expect(kind && whyNoName(kind, columns, 'id')).toBe('only 3 values in 48 records');
  });

  it('is of a record of its own', () => {
    const columns = columnsOf([{ id: 1, maker: { id: 9, title: 'ACME' } }]);
    const title = columns.find(({ path }) => path === 'maker.title');
    expect(title && whyNoName(title, columns, 'id')).toBe('maker is a record of its own, with an id');
  });

  it('is none that stands beside the id', () => {
    const columns = columnsOf([{ id: 1, title: 'Kettle' }]);
    const title = columns.find(({ path }) => path === 'title');
    expect(title && whyNoName(title, columns, 'id')).toBeUndefined();
  });
});
