import fc from 'fast-check';
import { compileCsvReader } from '../../../../../src/source/adapter/read/read-csv.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';

const read = (text: string, delimiter = ',', quote = '"') =>
  JSON.parse(JSON.stringify(compileCsvReader({ delimiter, quote })(text))) as unknown;

describe('a table of text', () => {
  it('is a list of rows by the names of its columns, every value a text', () => {
    expect(read('id,name\r\n00712,1.10\r\n7,\r\n')).toEqual([
      { id: '00712', name: '1.10' },
      { id: '7', name: '' },
    ]);
    expect(read('id;name\n1;"a;b"\n2;\'c\'', ';')).toEqual([
      { id: '1', name: 'a;b' },
      { id: '2', name: "'c'" },
    ]);
    expect(read('\ufeffid\n1')).toEqual([{ id: '1' }]);
    expect(read('id\n\n1\n\n')).toEqual([{ id: '1' }]);
    expect(read('id,name\n')).toEqual([]);
    expect(read('id|name\n1|"x\n', '|', '')).toEqual([{ id: '1', name: '"x' }]);
  });

  it('holds any value that is written as RFC 4180 says', () => {
    const value = fc.string({ unit: fc.constantFrom('"', ',', ';', '\n', '\r\n', ' ', 'a', 'ü', '=', '\t') });
    const table = fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(',', ';', '\t'))
      .chain(([width, delimiter]) =>
        fc.record({
          delimiter: fc.constant(delimiter),
          rows: fc.array(fc.array(value, { minLength: width, maxLength: width })),
          width: fc.constant(width),
        }),
      );
    fc.assert(
      fc.property(table, ({ delimiter, rows, width }) => {
        const names = Array.from({ length: width }, (_, index) => `c${index}`);
        const line = (values: readonly string[]) =>
          values.map((one) => `"${one.replaceAll('"', '""')}"`).join(delimiter);
        const text = [names, ...rows].map((row) => `${line(row)}\r\n`).join('');
        const wanted = rows.map((row) => Object.fromEntries(row.map((one, index) => [`c${index}`, one])));
        expect(read(text, delimiter)).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it('is data under any name of a column', () => {
    const [row] = compileCsvReader({ delimiter: ',', quote: '"' })('__proto__,toString\nx,y') as [object];
    expect(Object.getPrototypeOf(row)).toBeNull();
    expect(JSON.stringify(row)).toBe('{"__proto__":"x","toString":"y"}');
  });

  it.each<[string, string]>([
    ['nothing at all', ''],
    ['empty lines', '\r\n\r\n'],
    ['a row that is too short', 'id,name\n1,canary\n2\n'],
    ['a row that is too long', 'id,name\n1,canary,x\n'],
    ['a column named twice', 'id,name,id\n1,canary,2\n'],
    ['a quote that does not close', 'id,name\n1,"canary\n'],
    ['a quote within a value', 'id,name\n1,canary"x\n'],
    ['text behind a quoted value', 'id,name\n1,"canary"x\n'],
    ['HTML of several lines', '<html>\n<p>a, canary</p>\n</html>'],
  ])('that is %s is refused, and not quoted', (_name, text) => {
    const error = refusal(() => read(text));
    expect(error.code).toBe('upstream_invalid_response');
    expect(`${error.detail} ${String(error.cause)} ${error.message}`).not.toContain('canary');
  });
});
