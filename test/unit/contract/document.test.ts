import fc from 'fast-check';
import { type CanonicalRecord, detailBody, listBody } from '../../../src/contract/response-body.ts';
import type { Field } from '../../../src/contract/fields.ts';
import { Decimal } from '../../../src/kernel/decimal.ts';
import { resources } from '../../support/reference.ts';
import { anyCharacter } from '../../support/any-character.ts';

const { users, products } = resources;

/** Values that fields may have, values that nearly are such, and anything else. */
const values = fc.oneof(
  fc.constantFrom('user_42', 'prod_7', 'user_', 'user_a b', 'prod_1\n', `user_${'x'.repeat(123)}`, 'user_é'),
  fc.constantFrom('2020-05-01T00:00:00Z', '2020-05-01T00:00:00.123Z', '2020-05-01', '2020-05-01T00:00:00Z\n'),
  fc.constantFrom(null, undefined, 19.9, true, {}, [], new Decimal(1990n, 2)),
  fc.string({ unit: anyCharacter }),
  fc.anything(),
);

const anyOf = (fields: readonly Field[]) =>
  fc.record(Object.fromEntries(fields.map(({ name }) => [name, values])) as { id: fc.Arbitrary<unknown> });

/** The object that a view is of a record, for the schema to judge. */
function built(fields: readonly Field[], record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const view: Record<string, unknown> = {};
  for (const { path, name } of fields) {
    const [key = '', ...inner] = [...path].reverse();
    inner.reduceRight<Record<string, unknown>>(
      (place, part) => (place[part] ??= {}) as Record<string, unknown>,
      view,
    )[key] = record[name] ?? null;
  }
  return view;
}

const ID = /^(?:user|prod)_[A-Za-z0-9_.~-]{1,123}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/;
const isText = (value: unknown): value is string => typeof value === 'string';

/** What the contract allows, written down a second time. */
const allowed: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => isText(value) && ID.test(value),
  text: (value) => value === null || isText(value),
  datetime: (value) => value === null || (isText(value) && TIME.test(value)),
  decimal: (value) => value === null || value instanceof Decimal,
};

/** The text of a body, or the places at which the contract refuses it. */
function judged(prefix: string, fields: readonly Field[], record: Readonly<Record<string, unknown>>): string {
  const refused = fields.filter(({ name, kind }) => {
    const value = record[name] ?? null;
    return !allowed[kind]!(value) || (kind === 'id' && !(value as string).startsWith(`${prefix}_`));
  });
  if (refused.length === 0) return JSON.stringify({ data: built(fields, record) });
  return `the mapped record does not satisfy the contract at: ${refused.map(({ name }) => name).join(', ')}`;
}

function attempt(make: () => string): string {
  try {
    return make();
  } catch (error) {
    return (error as { detail: string }).detail;
  }
}

describe('what leaves the gateway', () => {
  const meta = { total: 1, page: 1, limit: 50 };

  it.each([users, products])(
    'is an item of $name just where the schema of the contract takes it',
    (resource) => {
      fc.assert(
        fc.property(anyOf(resource.itemFields), (record) => {
          const wanted = judged(resource.idPrefix, resource.itemFields, record);
          const body = attempt(() => listBody(resource, [record as CanonicalRecord], meta));
          const item = wanted.startsWith('{')
            ? wanted.replace('"data":', '"data":[').replace(/\}$/, '],')
            : wanted;
          expect(body.startsWith('{') ? body.slice(0, item.length) : body).toBe(item);
        }),
        { numRuns: 1_000 },
      );
    },
  );

  it('is a user of its own just where the schema of the contract takes it', () => {
    fc.assert(
      fc.property(anyOf(users.detailFields), (record) => {
        const wanted = judged('user', users.detailFields, record);
        expect(attempt(() => detailBody(users, record as CanonicalRecord))).toBe(wanted);
      }),
      { numRuns: 1_000 },
    );
  });

  it('has nothing of a record but the fields of the contract', () => {
    const record = { id: 'user_1', name: 'Zoë', email: null, created_at: null, password: 'secret' };
    expect(JSON.parse(listBody(users, [record as CanonicalRecord], meta))).toEqual({
      data: [{ id: 'user_1', name: 'Zoë', email: null, created_at: null }],
      meta,
    });
  });
});
