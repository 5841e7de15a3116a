import fc from 'fast-check';
import { compileOrder, sortFieldOf } from '../../../src/contract/order.ts';
import type { CanonicalRecord } from '../../../src/contract/response-body.ts';
import { resources } from '../../support/reference.ts';
import type { Sort } from '../../../src/contract/query.ts';
import { modelList, type ModelRecord } from '../../support/model/contract-model.ts';
import { sortRecords } from '../../support/pipeline/sort-records.ts';
import { anyCharacter } from '../../support/any-character.ts';

function ordered(records: readonly ModelRecord[], sort: Sort): string[] {
  const by = sortFieldOf(resources.users.itemFields, sort);
  return sortRecords(records as readonly CanonicalRecord[], sort, by).map((record) => record.id);
}

const named = (...names: (string | null)[]) => names.map((name, i) => ({ id: `user_${i + 1}`, name }));
const ascending = (field: string) => ({ field, descending: false });
const descending = (field: string) => ({ field, descending: true });

describe('Sort order: text by Unicode code point after NFC', () => {
  it('puts capitals before small letters, and both before accents', () => {
    expect(ordered(named('b', 'a', 'Z', 'é', 'É'), ascending('name'))).toEqual([
      'user_3',
      'user_2',
      'user_1',
      'user_5',
      'user_4',
    ]);
  });

  it('puts emoji behind every character of the basic plane, which UTF-16 units would not', () => {
    expect(ordered(named('😀', '\uff5e', '\ue000', '\ufffd'), ascending('name'))).toEqual([
      'user_3',
      'user_2',
      'user_4',
      'user_1',
    ]);
  });

  it('takes composed and decomposed spellings for the same text: then the id decides', () => {
    expect(ordered(named('Zoe\u0308', 'Zo\u00eb', 'Zoe\u0308'), descending('name'))).toEqual([
      'user_1',
      'user_2',
      'user_3',
    ]);
    expect(ordered(named('e\u0301b', '\u00e9a'), ascending('name'))).toEqual(['user_2', 'user_1']);
  });

  it('puts a text before its continuations', () => {
    expect(ordered(named('ab', 'a', '', 'abc'), ascending('name'))).toEqual([
      'user_3',
      'user_2',
      'user_1',
      'user_4',
    ]);
  });
});

describe('Sort order: ids by their number', () => {
  const ids = (...list: string[]) => list.map((id) => ({ id }));

  it('counts, beyond 2^53 too', () => {
    const records = ids(
      'user_10',
      'user_9',
      'user_9007199254740993',
      'user_9007199254740992',
      'user_0',
      `user_${'9'.repeat(120)}`,
    );
    expect(ordered(records, ascending('id'))).toEqual([
      'user_0',
      'user_9',
      'user_10',
      'user_9007199254740992',
      'user_9007199254740993',
      `user_${'9'.repeat(120)}`,
    ]);
    expect(ordered(records, descending('id'))).toEqual(ordered(records, ascending('id')).reverse());
  });

  it('puts other ids behind the numbered ones, as text', () => {
    expect(
      ordered(ids('user_b', 'user_2', 'user_A', 'user_10', 'user_07', 'user_1x'), ascending('id')),
    ).toEqual(['user_2', 'user_10', 'user_07', 'user_1x', 'user_A', 'user_b']);
  });
});

describe('Sort order: timestamps by instant', () => {
  it('puts a whole second before its milliseconds', () => {
    const at = [
      '2020-01-01T00:00:00.001Z',
      '2020-01-01T00:00:00Z',
      '2019-12-31T23:59:59.999Z',
      '2020-01-01T00:00:01Z',
    ];
    const records = at.map((created_at, i) => ({ id: `user_${i}`, created_at }));
    expect(ordered(records, ascending('created_at'))).toEqual(['user_2', 'user_1', 'user_0', 'user_3']);
  });
});

describe('Sort order: null last in both directions; ties by id', () => {
  it.each([ascending('name'), descending('name')])('holds for %j', (sort) => {
    const names = named(null, 'a', null, 'a', 'a');
    expect(ordered(names, sort)).toEqual(['user_2', 'user_4', 'user_5', 'user_1', 'user_3']);
  });
});

const text = fc.option(
  fc.oneof(
    fc.constantFrom('', 'a', 'A', 'é', 'e\u0301', 'Å', 'A\u030a', '\uffff', '\ue000', '😀', '😀a', 'ﬁ'),
    fc.string({ unit: anyCharacter, maxLength: 4 }),
  ),
  { nil: null },
);
const id = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 70n }), fc.nat(30)).map((n) => `user_${n}`);
const instant = fc.option(
  fc
    .constantFrom(0, 1, 999, 1_000, 1_001, 951_782_400_000, -1)
    .map((ms) => new Date(ms).toISOString().replace('.000Z', 'Z')),
  { nil: null },
);
const users = fc.uniqueArray(fc.record({ id, name: text, email: text, created_at: instant }), {
  selector: (user) => user.id,
  maxLength: 40,
});
const sorts = fc.record({
  field: fc.constantFrom('id', 'name', 'email', 'created_at'),
  descending: fc.boolean(),
});

describe('Sort order: the order is total and pages never overlap', () => {
  it('is that of the model of the contract, for any records', () => {
    fc.assert(
      fc.property(users, sorts, (records, sort) => {
        const parameters = { sort: (sort.descending ? '-' : '') + sort.field, limit: '100' };
        const model = modelList('users', records, parameters);
        expect(ordered(records, sort)).toEqual(model.status === 200 ? model.data.map((user) => user.id) : []);
      }),
      { numRuns: 500 },
    );
  });

  it('does not depend on the order in which the source gives them', () => {
    fc.assert(
      fc.property(users, sorts, (records, sort) => {
        expect(ordered([...records].reverse(), sort)).toEqual(ordered(records, sort));
      }),
    );
  });

  it('ranks any two different records one way or the other, the same as they are sorted', () => {
    fc.assert(
      fc.property(users, sorts, (records, sort) => {
        const by = sortFieldOf(resources.users.itemFields, sort);
        const order = compileOrder(sort, by);
        const list = sortRecords(records, sort, by);
        list.forEach((record, i) => {
          const next = list[i + 1];
          if (next !== undefined)
            expect([Math.sign(order(record, next)), Math.sign(order(next, record))]).toEqual([-1, 1]);
        });
      }),
    );
  });
});
