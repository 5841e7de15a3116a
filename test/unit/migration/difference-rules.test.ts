import { resources } from '../../support/reference.ts';
import { migration } from '../../../src/config/schema/migration.ts';
import { listBody } from '../../../src/contract/response-body.ts';
import { Decimal } from '../../../src/kernel/decimal.ts';
import { compareAnswers } from '../../../src/migration/compare/compare-answers.ts';
import type { ComparedValue, AnswerDifference } from '../../../src/migration/compare/comparison.ts';
import { compileDifferenceRules } from '../../../src/migration/compare/rules.ts';
import { createDifferenceSampler } from '../../../src/migration/compare/sample.ts';
import type { SourceAnswer } from '../../../src/pipeline/stages/call.ts';
import { queryOf } from '../../support/pipeline/source-text.ts';

const NOW = Date.UTC(2026, 0, 1);
const decided = { owner: 'ana', reason: 'agreed', until: '2026-06-01' };

/** Whether rules as they stand in a gateway file accept a difference of two values. */
function isAccepted(
  rule: Readonly<Record<string, unknown>>,
  [legacy, next]: readonly [ComparedValue, ComparedValue],
  change: Partial<AnswerDifference> = {},
) {
  const kind = Object.keys(rule).length === 0 ? 'ignore' : 'tolerate';
  const file = { to: 'x', compare: { [kind]: [{ path: 'data[].price', ...decided, ...rule }] } };
  const { compare } = migration.parse(file);
  const difference: AnswerDifference = { path: 'data[].price', kind: 'value', legacy, new: next, ...change };
  return compileDifferenceRules(compare)(difference, [], NOW);
}

const price = (text: string) => Decimal.parse(text)!;

describe('a rule of a migration', () => {
  it('accepts every difference of its field and of the fields in it', () => {
    expect(isAccepted({}, ['a', 'b'])).toBe(true);
    expect(isAccepted({}, ['a', 'b'], { path: 'data[].price.net' })).toBe(true);
    expect(isAccepted({}, ['a', 'b'], { path: 'data[].prices' })).toBe(false);
  });

  it('accepts nothing after its end', () => {
    const { compare } = migration.parse({
      to: 'x',
      compare: { ignore: [{ path: 'data.name', ...decided }] },
    });
    const difference: AnswerDifference = { path: 'data.name', kind: 'value', legacy: 'a', new: 'b' };
    expect(compileDifferenceRules(compare)(difference, [], Date.parse('2026-05-31'))).toBe(true);
    expect(compileDifferenceRules(compare)(difference, [], Date.parse('2026-06-01'))).toBe(false);
  });

  it('that was made while the gateway runs adds to those of the file', () => {
    const kept = { id: 'r1', path: 'data.name', owner: 'ana', reason: 'agreed', until: NOW + 1 };
    const difference: AnswerDifference = { path: 'data.name', kind: 'value', legacy: 'a', new: 'b' };
    const isAcceptedBy = compileDifferenceRules(migration.parse({ to: 'x' }).compare);
    expect([[kept], []].map((rules) => isAcceptedBy(difference, rules, NOW))).toEqual([true, false]);
  });

  it.each([
    [{ abs: 0.01 }, '19.99', '20.00', true],
    [{ abs: 0.01 }, '19.99', '20.01', false],
    [{ abs: 0 }, '19.9', '19.90', true],
    [{ rel: 0.001 }, '1000', '1001', true],
    [{ rel: 0.001 }, '1000', '1002', false],
    [{ abs: 1e-7 }, '0.0000001', '0.0000002', true],
  ])('tolerates numbers exactly as far apart as %j says: %s and %s', (rule, legacy, next, expected) => {
    expect(isAccepted(rule, [price(legacy), price(next)])).toBe(expected);
  });

  it('tolerates totals that are as near as it says', () => {
    expect(isAccepted({ abs: 2 }, [100, 102], { kind: 'total' })).toBe(true);
    expect(isAccepted({ abs: 2 }, [100, 103], { kind: 'total' })).toBe(false);
  });

  it.each([
    [{ precision: '1s' }, '2020-05-01T10:00:00.100Z', '2020-05-01T10:00:00Z', true],
    [{ precision: '1s' }, '2020-05-01T10:00:01Z', '2020-05-01T10:00:00Z', false],
    [{ text: ['trim'] }, 'Ann', ' Ann ', true],
    [{ text: ['trim'] }, 'Ann', 'ann', false],
    [{ text: ['trim', 'case'] }, 'Ann', ' ANN', true],
    [{ text: ['nfc'] }, 'Zo\u00eb', 'Zoe\u0308', true],
  ])('tolerates texts as %j says: %s and %s', (rule, legacy, next, expected) => {
    expect(isAccepted(rule, [legacy, next])).toBe(expected);
  });

  it('tolerates no value that one store lacks', () => {
    expect(isAccepted({ text: ['trim'], abs: 100 }, ['', null], { kind: 'missing' })).toBe(false);
  });
});

type User = { readonly id: string; readonly name: string | null };
const users = (records: readonly User[]): SourceAnswer => ({
  ...{ found: true, storedAt: NOW, freshSeconds: 1, tags: [] },
  body: Buffer.from(listBody(resources.users, records, { total: records.length, page: 1, limit: 10 })),
});
const named = (...names: readonly [id: number, name: string | null][]) =>
  users(names.map(([id, name]) => ({ id: `user_${id}`, name })));

function kindsOf(rawQuery: string, legacy: SourceAnswer, next: SourceAnswer) {
  const differences = compareAnswers(resources.users, queryOf('users', rawQuery), legacy, next);
  return differences.map(({ kind }) => kind);
}

describe('the order of two lists', () => {
  const legacy = named([1, 'Ann'], [2, 'Bob'], [3, 'Bob'], [4, 'Cy']);

  it('differs by ties only, where the sort leaves the order of equal values open', () => {
    const next = named([1, 'Ann'], [3, 'Bob'], [2, 'Bob'], [4, 'Cy']);
    expect(kindsOf('sort=name', legacy, next)).toEqual(['tie_order']);
    expect(kindsOf('', legacy, next)).toEqual(['tie_order']);
  });

  it('differs where records with other values change places', () => {
    const next = named([2, 'Bob'], [1, 'Ann'], [3, 'Bob'], [4, 'Cy']);
    expect(kindsOf('sort=name', legacy, next)).toEqual(['order']);
    expect(kindsOf('', legacy, next)).toEqual(['order']);
  });

  it('is no tie of a value that all records have', () => {
    const [same, swapped] = [named([1, 'X'], [2, 'X']), named([2, 'X'], [1, 'X'])];
    expect(kindsOf('', same, swapped)).toEqual(['order']);
  });
});

describe('a sample of a difference', () => {
  const toSample = createDifferenceSampler({ secret: 'key', showMask: ['data.email'] });
  const sampleOf = (legacy: ComparedValue, next: ComparedValue, path = 'data.name') =>
    toSample({ path, kind: 'value', id: 'user_1', legacy, new: next }, 'user_1');

  it('holds types, lengths and hashes, which are equal for equal values, and nothing of a value', () => {
    const sample = sampleOf('Canary-Ann', 'Canary-Bob');
    expect(sample).toMatchObject({ legacy: { type: 'string', length: 10 }, new: { type: 'string' } });
    expect(sample.legacy?.hash).toBe(sampleOf('x', 'Canary-Ann').new?.hash);
    expect(sample.legacy?.hash).not.toBe(sample.new?.hash);
    expect(JSON.stringify(sample)).not.toMatch(/Canary|user_1/);
  });

  it('has other hashes with another key', () => {
    const other = createDifferenceSampler({ secret: 'other', showMask: [] });
    const difference: AnswerDifference = {
      path: 'data.name',
      kind: 'value',
      id: 'user_1',
      legacy: 'a',
      new: 'b',
    };
    expect(other(difference, '').key).not.toBe(toSample(difference, '').key);
  });

  it('shows a masked value only of the fields that were named', () => {
    const sample = sampleOf('ann.lee@example.com', 'Ann.Lee@example.com', 'data.email');
    expect(sample.legacy?.mask).toBe('a***.l***@e***.com');
    expect(sampleOf('ann.lee@example.com', 'b').legacy).not.toHaveProperty('mask');
  });

  it.each([
    ['case-only', 'Ann', 'ANN'],
    ['whitespace', 'Ann Lee', 'Ann  Lee '],
    ['unicode-form', 'Zo\u00eb', 'Zoe\u0308'],
    ['truncated', 'A long text', 'A long'],
    ['reordered', 'Lee, Ann', 'Ann Lee'],
    ['tz-shift', '2020-05-01T10:00:00Z', '2020-05-01T11:00:00Z'],
    ['precision', '2020-05-01T10:00:00.5Z', '2020-05-01T10:00:00Z'],
    ['numeric-equal', price('1.5'), price('1.50')],
    ['precision', price('1.499'), price('1.5')],
    [undefined, 'Ann', 'Bob'],
  ])('says what it looks like: %s', (hint, legacy, next) => {
    expect(sampleOf(legacy, next).hint).toBe(hint);
  });
});
