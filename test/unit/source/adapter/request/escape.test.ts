import fc from 'fast-check';
import { canEscape, type EscapeName, escapes } from '../../../../../src/source/adapter/request/escape.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

const texts = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom("'", '"', '\\', '^', ' ', 'a', ')') }),
  fc.constantFrom(
    "' or 1 eq 1 or 'a' eq '",
    '") OR *:*',
    '^ORDERBYname',
    '^NQactive=false',
    '\\',
    "\\'",
    "'",
  ),
);

/**
 * One small reader per language, written from its own grammar: the value that stands at the start of an expression,
 * and what is left of the expression.
 */
type Reader = (expression: string) => readonly [value: string, rest: string];

function quotedBy(literal: RegExp, unescape: (inner: string) => string): Reader {
  return (expression) => {
    const whole = literal.exec(expression)?.[0];
    if (whole === undefined) throw new Error('no literal stands here');
    return [unescape(whole.slice(1, -1)), expression.slice(whole.length)];
  };
}

const doubled = quotedBy(/^'(?:[^']|'')*'/u, (inner) => inner.replaceAll("''", "'"));
const backslash = (inner: string) => inner.replaceAll(/\\(.)/gsu, '$1');

const readers: Readonly<Record<Exclude<EscapeName, 'number'>, Reader>> = {
  odata: doubled,
  sql: doubled,
  json: quotedBy(/^"(?:[^"\\]|\\.)*"/u, (inner) => JSON.parse(`"${inner}"`) as string),
  soql: quotedBy(/^'(?:[^'\\]|\\.)*'/su, backslash),
  // These unescape nothing, so that any backslash stands for itself.
  double_quotes: quotedBy(/^"[^"]*"/u, (inner) => inner),
  single_quotes: quotedBy(/^'[^']*'/u, (inner) => inner),
  lucene: quotedBy(/^"(?:[^"\\]|\\.)*"/su, backslash),
  // A condition ends at the first caret that is not doubled.
  servicenow: (expression) => {
    const end = /^(?:[^^]|\^\^)*/u.exec(expression)?.[0].length ?? 0;
    return [expression.slice(0, end).replaceAll('^^', '^'), expression.slice(end)];
  },
};

describe.each(Object.entries(readers))('a value in an expression of %s', (name, read) => {
  const escape = escapes[name as EscapeName];

  it('is read as it is, and ends where it should', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const isPlain = name.endsWith('_quotes');
        if (isPlain && !canEscape(name as EscapeName, text)) return;
        const rest = name === 'servicenow' ? '^price>=10' : ' and price ge 10';
        expect(read(escape(text) + rest)).toEqual([text, rest]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a value that must be a number', () => {
  it('may only consist of digits, a sign and a point', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.float().map(String), fc.integer().map(String)), (text) => {
        if (canEscape('number', text)) expect(escapes.number(text)).toMatch(/^-?[0-9]+(\.[0-9]+)?$/);
      }),
    );
    for (const number of ['0', '-1', '10.50', '007']) expect(canEscape('number', number)).toBe(true);
    for (const other of ['', '1e3', '1 or 1', '+1', '.5', '1.', '1\n', 'NaN', '٣'])
      expect(canEscape('number', other)).toBe(false);
  });
});

describe('a value that ServiceNow would run as a script', () => {
  it.each(['javascript:gs.getUserID()', 'JavaScript:x', ' javascript:x'])('%s is not sent', (text) => {
    expect(canEscape('servicenow', text)).toBe(false);
    expect(canEscape('odata', text)).toBe(true);
  });

  it('is only one that starts so', () => expect(canEscape('servicenow', 'no javascript:x')).toBe(true));
});

describe('quotes alone', () => {
  it.each([
    ['double_quotes', '"', "'"],
    ['single_quotes', "'", '"'],
  ] as const)('%s carry neither themselves, nor a backslash, nor a control character', (name, own, other) => {
    for (const text of [own, `a${own}b`, '\\', 'a\\b', 'a\tb', 'a\u0085b'])
      expect(canEscape(name, text)).toBe(false);
    for (const text of [other, 'a b', '', 'Café & %_*']) expect(canEscape(name, text)).toBe(true);
  });
});
