import { CHECKED } from '../../../../../src/source/adapter/spec/spec-location.ts';
import fc from 'fast-check';
import { UNREADABLE } from '../../../../../src/source/adapter/map/coercion/step.ts';
import { explainRecord } from '../../../../../src/source/adapter/map/explain-record.ts';
import { compileMapping } from '../../../../../src/source/adapter/map/map-record.ts';
import { compileIdCodec } from '../../../../../src/source/adapter/map/native-id.ts';
import type { MappingSpec } from '../../../../../src/config/schema/source.ts';
import { type Json, readJson } from '../../../../../src/kernel/json/json.ts';
import { resources } from '../../../../support/reference.ts';

const { products } = resources;

const codec = compileIdCodec({ kind: 'number' }, 'prod', CHECKED);
const mapping: MappingSpec = {
  id: { from: 'no', as: [] },
  name: { from: ['a', 'b'], as: [{ join: ' ' }] },
  description: { from: 'text', as: ['trim', { nullIf: [''] }] },
  price: { from: 'price', as: [{ nullIf: ['n/a'] }, 'cents'] },
  category: { from: 'code', as: [{ enum: { T: 'Toys' } }] },
};
const explain = (record: Json, map = mapping) => explainRecord(map, products.itemFields, codec, record);
const fieldOf = (record: object, field: string) =>
  explain(readJson(JSON.stringify(record))).find((one) => one.field === field);

describe('explainRecord', () => {
  it('has the values and the missing values of the compiled mapping, whatever the record is', () => {
    const map = compileMapping(mapping, products.itemFields, codec, CHECKED);
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('n/a', '', ' x ', 'T', '1999', '12.5', 0, 1999, null),
    );
    const record = fc.record(
      { no: fc.oneof(fc.nat(), value), a: value, b: value, text: value, price: value, code: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(record, (raw) => {
        const legacy = readJson(JSON.stringify(raw));
        const missingValues: Record<string, string> = {};
        const mapped = map(legacy, (field, reason) => {
          if (reason !== 'absent') missingValues[field] = reason;
        });
        const explained = explain(legacy);
        const [id] = explained;
        expect(id?.value ?? undefined).toBe(mapped?.id);
        if (mapped === undefined) return;
        expect(Object.fromEntries(explained.map(({ field, value }) => [field, value]))).toEqual(mapped);
        const incomplete = explained.filter(({ state }) => state === 'missing' || state === 'unreadable');
        expect(Object.fromEntries(incomplete.map(({ field, state }) => [field, state]))).toEqual(
          missingValues,
        );
      }),
    );
  });

  it('lists the result of every step', () => {
    expect(fieldOf({ text: ' Soft ' }, 'description')).toEqual({
      field: 'description',
      from: ['text'],
      found: ' Soft ',
      steps: [
        { step: 'trim', value: 'Soft' },
        { step: { nullIf: [''] }, value: 'Soft' },
      ],
      value: 'Soft',
      state: 'known',
    });
  });

  it('stops at the step that cannot read its value', () => {
    const steps = [{ step: { enum: { T: 'Toys' } }, value: UNREADABLE }];
    expect(fieldOf({ code: 'Q' }, 'category')).toMatchObject({ steps, value: null, state: 'unreadable' });
  });

  it('distinguishes unknown values from missing ones', () => {
    expect(fieldOf({ price: 'n/a' }, 'price')).toMatchObject({ found: 'n/a', value: null, state: 'unknown' });
    expect(fieldOf({}, 'price')).toMatchObject({ found: undefined, value: null, state: 'missing' });
    for (const map of [{ name: { from: [], as: [] } }, {}])
      expect(explain({}, map)).toContainEqual(
        expect.objectContaining({ field: 'name', from: [], state: 'unknown' }),
      );
  });
});
