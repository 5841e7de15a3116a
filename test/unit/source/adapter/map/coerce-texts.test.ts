import { compileStep } from '../../../../../src/source/adapter/map/coercion/coerce.ts';
import { UNREADABLE } from '../../../../../src/source/adapter/map/coercion/step.ts';
import type { CoercionSpec } from '../../../../../src/config/schema/source.ts';
import { type Json, NumberText, readJson } from '../../../../../src/kernel/json/json.ts';

const run = (step: CoercionSpec, json: string): unknown => compileStep(step).run(readJson(json));

describe('trim and text', () => {
  it.each<[CoercionSpec, string, unknown]>([
    ['trim', '"  Ada \\n"', 'Ada'],
    ['trim', '" \\u00a0Ada\\ufeff"', 'Ada'],
    ['trim', '""', ''],
    ['trim', '42', '42'],
    ['text', '" Ada "', ' Ada '],
    ['text', '42', '42'],
    ['text', '9007199254740993', '9007199254740993'],
    ['text', '1.50', '1.50'],
    ['text', 'true', UNREADABLE],
    ['text', '{}', UNREADABLE],
    ['trim', '["a"]', UNREADABLE],
    ['trim', 'null', null],
  ])('%s makes of %s: %p', (step, json, expected) => expect(run(step, json)).toBe(expected));
});

describe('nullIf', () => {
  const step: CoercionSpec = { nullIf: ['', '-', 0, -1, 99.5, true, '00'] };

  it.each([
    '""',
    '"-"',
    '0',
    '-0',
    '0.0',
    '0e5',
    '-1',
    '-1.0',
    '-1.00',
    '-10e-1',
    '99.5',
    '99.50',
    'true',
    '"00"',
    'null',
  ])('takes %s for unknown: numbers count by their value', (json) => expect(run(step, json)).toBeNull());

  it.each(['"0"', '1', '"-1"', '99.51', '-1.01', 'false', '" "', '"--"', '1e400'])(
    'leaves %s alone',
    (json) => expect(run(step, json)).toEqual(readJson(json)),
  );

  it('distinguishes whole numbers beyond 2^53 that are written as texts', () => {
    const wide: CoercionSpec = { nullIf: ['9007199254740993'] };
    expect(run(wide, '9007199254740993')).toBeNull();
    expect(run(wide, '9007199254740992')).toEqual(new NumberText('9007199254740992'));
  });

  it('leaves objects and lists alone', () => {
    for (const json of ['{}', '[]', '[""]']) expect(run(step, json)).toEqual(readJson(json));
  });
});

describe('join', () => {
  const join = (values: Json) => compileStep({ join: ' ' }).run(values);

  it.each<[Json[], unknown]>([
    [['Ada', 'Lovelace'], 'Ada Lovelace'],
    [['  Ada ', ' Lovelace'], 'Ada Lovelace'],
    [[null, 'Lovelace'], 'Lovelace'],
    [['Ada', ''], 'Ada'],
    [['Ada', '  '], 'Ada'],
    [[null, null], null],
    [['', ' '], null],
    [['Unit', 7], 'Unit 7'],
    [['Unit', new NumberText('9007199254740993')], 'Unit 9007199254740993'],
    [['Ada', true], UNREADABLE],
    [['Ada', ['King', ' ', 'Lovelace']], 'Ada King Lovelace'],
    [[['Ada', ['Lovelace']]], UNREADABLE],
    [[], null],
    [['Ada', readJson('{}')], UNREADABLE],
  ])('makes of %j: %p', (values, expected) => expect(join(values)).toBe(expected));
});

describe('a join of one value', () => {
  it.each<[string, unknown]>([
    ['"Ada Lovelace"', 'Ada Lovelace'],
    ['" Ada "', 'Ada'],
    ['["Ada", null, "King"]', 'Ada King'],
    ['[]', null],
    ['""', null],
    ['null', null],
    ['{}', UNREADABLE],
    ['[["a"], [["b"]]]', UNREADABLE],
  ])('makes of %s: %p', (json, expected) => expect(run({ join: ' ' }, json)).toBe(expected));
});

describe('enum', () => {
  const step: CoercionSpec = { enum: { ELC: 'Electronics', 7: 'Toys', true: 'Listed' } };

  it.each<[string, unknown]>([
    ['"ELC"', 'Electronics'],
    ['"7"', 'Toys'],
    ['7', 'Toys'],
    ['"elc"', UNREADABLE],
    ['" ELC"', UNREADABLE],
    ['""', UNREADABLE],
    ['"Electronics"', UNREADABLE],
    ['"constructor"', UNREADABLE],
    ['"__proto__"', UNREADABLE],
    ['true', 'Listed'],
    ['false', UNREADABLE],
    ['null', null],
    ['[]', UNREADABLE],
  ])('makes of %s: %p', (json, expected) => expect(run(step, json)).toBe(expected));
});
