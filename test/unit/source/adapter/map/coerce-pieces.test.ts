import { compileStep } from '../../../../../src/source/adapter/map/coercion/coerce.ts';
import { UNREADABLE } from '../../../../../src/source/adapter/map/coercion/step.ts';
import type { CoercionSpec } from '../../../../../src/config/schema/source.ts';
import { NumberText, readJson } from '../../../../../src/kernel/json/json.ts';
import { specOf } from '../../../../support/pipeline/source-text.ts';

const run = (step: CoercionSpec, json: string): unknown => compileStep(step).run(readJson(json));

describe('text around a value', () => {
  const template: CoercionSpec = { template: 'https://x.example/{value}.png' };

  it.each<[string, unknown]>([
    ['"a"', 'https://x.example/a.png'],
    ['7', 'https://x.example/7.png'],
    ['"{value}"', 'https://x.example/{value}.png'],
    ['"$&"', 'https://x.example/$&.png'],
    ['null', null],
    ['{}', UNREADABLE],
  ])('is put around %s: %p', (json, expected) => expect(run(template, json)).toBe(expected));

  it.each(['no place', '{value}{value}', '{Value}'])('needs one place for it: %j', (text) => {
    const mapped = `
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /x }
      window: { kind: none }
      items: ''
      map: { id: id, name: { from: n, as: [{ template: '${text}' }] }, description: null, price: p, category: c }
`;
    expect(() => specOf(mapped)).toThrow('expected a text with {value} in it, once');
  });
});

describe('split', () => {
  it.each<[string, number, string, unknown]>([
    [' / ', -1, '"All / Saleable / Office"', 'Office'],
    [' / ', 0, '"All / Saleable / Office"', 'All'],
    [',', 1, '"a,,b"', ''],
    [',', 2, '"a,b"', UNREADABLE],
    [',', -3, '"a,b"', UNREADABLE],
    ['.', 0, '12.5', '12'],
    [',', 0, 'null', null],
    [',', 0, '["a"]', UNREADABLE],
  ])('by %j, piece %d of %s is %p', (by, at, json, expected) =>
    expect(run({ split: { by, at } }, json)).toBe(expected),
  );
});

describe('match', () => {
  it.each<[string, string, unknown]>([
    ['^/products/(\\d+)$', '"/products/42"', '42'],
    ['(\\d+)', '"a1b2"', '1'],
    ['^(\\d+)$', '"x"', UNREADABLE],
    ['^(?:(a)|b)$', '"b"', UNREADABLE],
    ['^(.*)$', '""', ''],
    ['(\\d+)', '17', '17'],
    ['(x)', 'null', null],
    ['(x)', 'true', UNREADABLE],
  ])('%s finds in %s: %p', (match, json, expected) => expect(run({ match }, json)).toBe(expected));

  it('does not look at texts beyond 10,000 characters', () => {
    expect(run({ match: '^(a)' }, JSON.stringify('a'.repeat(10_000)))).toBe('a');
    expect(run({ match: '^(a)' }, JSON.stringify('a'.repeat(10_001)))).toBe(UNREADABLE);
  });
});

describe('lowercase and uppercase', () => {
  it.each<[CoercionSpec, string, unknown]>([
    ['lowercase', '"ÀBC"', 'àbc'],
    ['uppercase', '"àbc"', 'ÀBC'],
    ['lowercase', 'null', null],
  ])('%s makes of %s: %p', (step, json, expected) => expect(run(step, json)).toBe(expected));
});

describe('default', () => {
  it.each<[string, unknown]>([
    ['null', 'Other'],
    ['""', ''],
    ['false', false],
    ['"Toys"', 'Toys'],
  ])('makes of %s: %p', (json, expected) => expect(run({ default: 'Other' }, json)).toBe(expected));
});

describe('parseJson', () => {
  it.each<[string, string, unknown]>([
    ['a.b', '{"a":{"b":"x"}}', 'x'],
    ['[1]', '[1,2]', 2],
    ['', '"x"', 'x'],
    ['a', '{"a":19.90}', new NumberText('19.90')],
    ['a', '{"a":null}', null],
    ['b', '{"a":1}', null],
    ['a', '{"a":1', UNREADABLE],
    ['a', '', UNREADABLE],
  ])('finds at %j of the text %s: %p', (path, text, expected) =>
    expect(run({ parseJson: path }, JSON.stringify(text))).toEqual(expected),
  );

  it('reads only texts', () => expect(run({ parseJson: 'a' }, '{"a":1}')).toBe(UNREADABLE));
});

describe('money', () => {
  const money: CoercionSpec = { money: { amount: 'value.amount', currency: 'unit', expect: ['EUR', '978'] } };

  it.each<[string, unknown]>([
    ['{"value":{"amount":"9.90"},"unit":"EUR"}', '9.90'],
    ['{"value":{"amount":9},"unit":978}', 9],
    ['{"value":{"amount":9},"unit":"eur"}', UNREADABLE],
    ['{"value":{"amount":9},"unit":"USD"}', UNREADABLE],
    ['{"value":{"amount":9}}', UNREADABLE],
    ['{"value":{"amount":9},"unit":null}', UNREADABLE],
    ['{"value":{"amount":null},"unit":"USD"}', null],
    ['{"unit":"EUR"}', null],
    ['"9 EUR"', null],
    ['null', null],
  ])('makes of %s: %p', (json, expected) => expect(run(money, json)).toBe(expected));
});
