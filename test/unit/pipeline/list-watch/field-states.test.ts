import { resources } from '../../../support/reference.ts';
import { digestOf, fieldBits, statesOf } from '../../../../src/pipeline/list-watch/field-states.ts';
import type { MissingValue } from '../../../../src/source/adapter/map/reply-observer.ts';

const bits = fieldBits(resources.users.itemFields);
const records = [{ id: 'user_1' }, { id: 'user_2' }, { id: 'user_3' }];
const gap = (field: string, reason: MissingValue['reason'], row: number) =>
  ({ field, reason, row }) as MissingValue;
const bitOf = (claim: string) => 1 << bits.findIndex((bit) => bit.claim === claim);

describe('the bits of fields', () => {
  it('are two for each field but the id: gone, and unreadable', () => {
    expect(bits.map(({ claim }) => claim)).toEqual([
      ...['field.name.gone', 'field.name.unreadable'],
      ...['field.email.gone', 'field.email.unreadable'],
      ...['field.created_at.gone', 'field.created_at.unreadable'],
    ]);
  });

  it('fit into 32 bits, however many fields there are', () => {
    const many = Array.from({ length: 40 }, (_, n) => ({ name: `f${n}`, kind: 'text' }) as never);
    expect(fieldBits(many)).toHaveLength(30);
  });
});

describe('the states of the records of a reply', () => {
  it('are one for each record, by its id', () => {
    expect(statesOf(resources.users, bits, records, [])).toEqual([
      ...['users:1', 'users:2', 'users:3'].map((id) => ({ id, bits: 0 })),
    ]);
  });

  it('have a bit for each field that a record lacks, and why', () => {
    const missingValues = [
      gap('email', 'missing', 1),
      gap('created_at', 'unreadable', 1),
      gap('name', 'missing', 2),
    ];
    expect(statesOf(resources.users, bits, records, missingValues).map((state) => state.bits)).toEqual([
      ...[0, bitOf('field.email.gone') | bitOf('field.created_at.unreadable'), bitOf('field.name.gone')],
    ]);
  });

  it('count one lack of a field once', () => {
    const twice = [gap('email', 'missing', 0), gap('email', 'missing', 0)];
    expect(statesOf(resources.users, bits, records, twice)[0]?.bits).toBe(bitOf('field.email.gone'));
  });

  it.each([
    ['of a field that is not counted', gap('id', 'missing', 0)],
    ['of a row that was dropped', gap('email', 'missing', 9)],
  ])('leave out a lack %s', (_what, one) => {
    expect(statesOf(resources.users, bits, records, [one]).map((state) => state.bits)).toEqual([0, 0, 0]);
  });

  it('are the same of records that came as bytes, which have tags alone', () => {
    const written = { tags: 'users:1 users:2 users:3', length: 3 } as never;
    expect(statesOf(resources.users, bits, written, [gap('email', 'missing', 1)])).toEqual(
      statesOf(resources.users, bits, records, [gap('email', 'missing', 1)]),
    );
  });
});

describe('the digest of a reply', () => {
  const missingValues = [gap('email', 'missing', 1)];
  it('is the same for the same records and lacks', () => {
    expect(digestOf(records, missingValues)).toEqual(digestOf([...records], [...missingValues]));
  });

  it.each<[string, Parameters<typeof digestOf>]>([
    ['another first record', [[{ id: 'user_9' }, ...records.slice(1)], missingValues]],
    ['another last record', [[...records.slice(0, 2), { id: 'user_9' }], missingValues]],
    ['fewer records', [records.slice(0, 2), missingValues]],
    ['a lack in another row', [records, [gap('email', 'missing', 2)]]],
    ['a lack of another field', [records, [gap('name', 'missing', 1)]]],
    ['a lack for another reason', [records, [gap('email', 'unreadable', 1)]]],
    ['no lack', [records, []]],
  ])('is another one with %s', (_what, other) => {
    expect(digestOf(...other)).not.toEqual(digestOf(records, missingValues));
  });
});
