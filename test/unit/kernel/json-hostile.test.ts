import fc from 'fast-check';
import { JsonError, readJson } from '../../../src/kernel/json/json.ts';
import { finishes } from '../../support/time/finishes.ts';
import { anyCharacter } from '../../support/any-character.ts';

/** `undefined` where a document was read. */
function failureOf(text: string): unknown {
  try {
    readJson(text);
    return undefined;
  } catch (error) {
    return error;
  }
}

function accepted(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const jsonish = fc
  .array(
    fc.constantFrom(...'{}[]",:\\ \n0123456789.-+eEtrufalsn\u0000'.split(''), '"a"', 'null', 'é', '\ud800'),
  )
  .map((pieces) => pieces.join(''));

describe('hostile JSON', () => {
  it('never makes the reader throw anything but a JsonError', () => {
    fc.assert(
      fc.property(
        fc.oneof(jsonish, fc.string({ unit: anyCharacter }), fc.string({ unit: 'binary-ascii' })),
        (text) => {
          const failure = failureOf(text);
          expect(failure === undefined || failure instanceof JsonError).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('is refused wherever JSON.parse refuses it', () => {
    fc.assert(
      fc.property(jsonish, (text) => {
        if (failureOf(text) === undefined) expect(accepted(text)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused when one character of a sound document is replaced and JSON.parse refuses it', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom(...'{}[]",:\\\n\u00000x'.split('')),
        (text, at, character) => {
          const place = at % text.length;
          const broken = text.slice(0, place) + character + text.slice(place + 1);
          if (!accepted(broken)) expect(failureOf(broken)).toBeInstanceOf(JsonError);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a text of escapes', (n: number) => `"${'\\n'.repeat(n)}"`],
    ['a text that never ends', (n: number) => `"${'a'.repeat(n)}`],
    ['texts that never end', (n: number) => '"\\'.repeat(n)],
    ['digits', (n: number) => '9'.repeat(n)],
    ['digits of an exponent', (n: number) => `1e${'9'.repeat(n)}x`],
    ['spaces', (n: number) => ' '.repeat(n)],
    ['brackets', (n: number) => '['.repeat(n)],
    ['keys', (n: number) => `{${Array.from({ length: n / 10 }, (_, i) => `"key${i}":0`).join(',')}}`],
    ['empty arrays', (n: number) => `[${'[],'.repeat(n / 3)}[]]`],
  ])('takes time in proportion to its length: %s', (_name, make) => {
    const text = make(1_000_000);
    expect(finishes(() => failureOf(text) === undefined)).toBe(accepted(text));
  });
});
