import assert from 'node:assert/strict';
import { OwnCoercion, type OwnInput } from '../../../../../src/config/schema/mapping/own-coercion.ts';
import { canonical } from '../../../../../src/source/adapter/map/canonical.ts';
import { compileStep } from '../../../../../src/source/adapter/map/coercion/coerce.ts';
import { UNREADABLE } from '../../../../../src/source/adapter/map/coercion/step.ts';
import { jsonText, readJson } from '../../../../../src/kernel/json/json.ts';

/** What the step makes of a value of a reply, with this function. */
function call(json: string, run: (value: OwnInput) => unknown) {
  const own = new OwnCoercion('own');
  own.run = run;
  return compileStep({ call: own }).run(readJson(json));
}

describe('what a function gets', () => {
  it.each<[string, OwnInput]>([
    ['" Ada "', ' Ada '],
    ['42', '42'],
    ['19.90', '19.90'],
    ['9007199254740993', '9007199254740993'],
    ['1e3', '1e3'],
    ['true', true],
    ['[1.50, null, "a"]', ['1.50', null, 'a']],
    ['{ "a": { "b": 7 } }', { a: { b: '7' } }],
    ['{ "__proto__": 1 }', JSON.parse('{ "__proto__": "1" }') as OwnInput],
  ])('of %s is %j: the digits of a number as text', (json, expected) => {
    const seen: OwnInput[] = [];
    call(json, (value) => seen.push(value));
    expect(seen).toEqual([expected]);
  });

  it('is never null, which passes through', () => {
    const seen: OwnInput[] = [];
    expect(call('null', (value) => seen.push(value))).toBeNull();
    expect(seen).toEqual([]);
  });

  it('is a copy, so that it cannot change the reply', () => {
    const row = readJson('{ "a": [1] }');
    const own = new OwnCoercion('own');
    own.run = (value) => Object.assign(value as object, { a: 2 });
    compileStep({ call: own }).run(row);
    expect(jsonText(row)).toBe('{"a":[1]}');
  });
});

describe('what a function returns', () => {
  it.each<[unknown, string]>([
    ['Ada', '"Ada"'],
    [false, 'false'],
    [19.5, '19.5'],
    [-0, '0'],
    [1e21, '1e+21'],
    [12345678901234567890n, '12345678901234567890'],
    [null, 'null'],
    [undefined, 'null'],
    [['a', 1], '["a",1]'],
    [{ a: { b: 0.1 } }, '{"a":{"b":0.1}}'],
  ])('is taken: %p', (value, expected) => {
    const made = call('"x"', () => value);
    expect(made === UNREADABLE ? made : jsonText(made as Parameters<typeof jsonText>[0])).toBe(expected);
  });

  const endless: unknown[] = [];
  endless.push(endless);

  it.each<[unknown]>([
    [NaN],
    [Infinity],
    [Promise.resolve('late')],
    [{ then: () => undefined }],
    [new Date(0)],
    [new Map()],
    [() => 'x'],
    [Symbol('x')],
    [['a', NaN]],
    [endless],
  ])('is unreadable: %p', (value) => {
    expect(call('"x"', () => value)).toBe(UNREADABLE);
  });

  it('is unreadable if the function throws, in whatever way', () => {
    expect(call('"x"', (value) => (value as unknown as () => void)())).toBe(UNREADABLE);
    const hostile = new Proxy({}, { getPrototypeOf: () => assert.fail('hostile') });
    expect(call('"x"', () => hostile)).toBe(UNREADABLE);
  });

  it('does not end the process if it is a promise that fails', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    expect(call('"x"', () => Promise.reject(new Error('later')))).toBe(UNREADABLE);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it.each([
    ['text', 5],
    ['boolean', 'yes'],
    ['decimal', 'much'],
    ['integer', 1.5],
    ['date', '2020-02-30'],
  ] as const)('is unreadable if it is no value of the field, %s: %p', (kind, value) => {
    const made = call('"x"', () => value);
    expect(canonical(made, { kind, isLabel: false, accepts: () => true })).toBe(UNREADABLE);
  });
});
