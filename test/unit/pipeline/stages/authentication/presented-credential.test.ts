import fc from 'fast-check';
import { presentedCredential } from '../../../../../src/pipeline/stages/authentication/authenticate.ts';
import { finishes } from '../../../../support/time/finishes.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

const token = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 60,
});
const bearer = (text: string) => `Bearer ${text}`;

/** The text of the one credential, or what there is instead. */
function textOf(authorization: readonly string[], apiKey: readonly string[] = []): string {
  const presented = presentedCredential({ authorization, apiKey });
  return presented.kind === 'one' ? `one ${presented.credential.text}` : presented.kind;
}

describe('the credential of a request', () => {
  it('is none where neither header stands', () => {
    expect(textOf([], [])).toBe('none');
  });

  it('is the token of either header', () => {
    fc.assert(
      fc.property(token, (text) => {
        expect(textOf([bearer(text)])).toBe(`one ${text}`);
        expect(textOf([], [text])).toBe(`one ${text}`);
      }),
    );
  });

  it('is one when the same stands in several places', () => {
    expect(textOf([bearer('a'), 'bearer  a'], ['a', 'a'])).toBe('one a');
  });

  it('is malformed when two differ, wherever they stand', () => {
    fc.assert(
      fc.property(token, token, (left, right) => {
        fc.pre(left !== right);
        expect(textOf([bearer(left)], [right])).toBe('malformed');
        expect(textOf([bearer(left), bearer(right)])).toBe('malformed');
        expect(textOf([], [left, right])).toBe('malformed');
      }),
    );
  });

  it.each(['Bearer a', 'bearer a', 'BEARER a', 'bEaReR   a'])('reads the scheme in any case: %s', (value) => {
    expect(textOf([value])).toBe('one a');
  });

  it.each([
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['no scheme', 'abc'],
    ['no token', 'Bearer'],
    ['an empty token', 'Bearer '],
    ['nothing', ''],
    ['two tokens', 'Bearer a b'],
    ['a list', 'Bearer a, Bearer a'],
    ['a tab', 'Bearer\ta'],
    ['a line break', 'Bearer a\r\nX: y'],
    ['a NUL', 'Bearer a\0'],
    ['a letter beyond ASCII', 'Bearer ä'],
    ['more than 8 KiB', `Bearer ${'a'.repeat(8 * 1024)}`],
  ])('is malformed with %s', (_, value) => {
    expect(textOf([value])).toBe('malformed');
    expect(textOf([value, bearer('a')])).toBe('malformed');
  });

  it('is malformed with an API key that is empty, too long or not visible ASCII', () => {
    for (const value of ['', ' ', 'a b', 'ä', '\0', 'a'.repeat(8 * 1024 + 1)])
      expect(textOf([], [value])).toBe('malformed');
  });

  it('is read in linear time', () => {
    for (const value of [`Bearer${' '.repeat(1_000_000)}`, `Bearer ${'a '.repeat(500_000)}`])
      expect(finishes(() => textOf([value], [value]))).toBe('malformed');
  });

  it('is visible ASCII within bounds or malformed, whatever the headers hold', () => {
    const hostile = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: anyCharacter }).map(bearer),
      fc.integer({ min: 0, max: 10_000 }).map((length) => `Bearer${' '.repeat(length)}`),
      token,
    );
    fc.assert(
      fc.property(
        fc.array(hostile, { maxLength: 4 }),
        fc.array(hostile, { maxLength: 4 }),
        (authorization, apiKey) => {
          const presented = presentedCredential({ authorization, apiKey });
          if (authorization.length + apiKey.length === 0) expect(presented.kind).toBe('none');
          else expect(presented.kind).not.toBe('none');
          if (presented.kind !== 'one') return;
          expect(presented.credential.text).toMatch(/^[\x21-\x7e]{1,8192}$/);
          const all = [...authorization.map((value) => value.replace(/^bearer +/i, '')), ...apiKey];
          expect(new Set(all)).toEqual(new Set([presented.credential.text]));
        },
      ),
    );
  });

  it('keeps the credential itself out of its local name', () => {
    const presented = presentedCredential({ authorization: [bearer('canary-canary')], apiKey: [] });
    expect(presented.kind === 'one' && presented.credential.digest).not.toContain('canary');
  });
});
