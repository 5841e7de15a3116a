import { locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import fc from 'fast-check';
import { compileRequest } from '../../../../../src/source/adapter/request/request.ts';
import { compileQuery, percentEncode } from '../../../../../src/source/adapter/request/text-template.ts';
import type { RequestSpec } from '../../../../../src/config/schema/source.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

const requestSpec = (path: string, query: Record<string, string> = {}): RequestSpec => ({
  ...{ method: 'GET', path, query, headers: {} },
});

const refuse = (path: readonly PropertyKey[], message: string) => {
  throw new Error(`${path.join('.')}: ${message}`);
};
const anything = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.webUrl(),
  fc.constantFrom('&', '=', '#', '?', '/', '..', '%2F', '+', ' ', '\r\n', '{id}', '\\'),
);

/** What an upstream sees, as an independent parser reads it. */
function seen(target: string): { path: string; parameters: [string, string][]; hash: string } {
  const url = new URL(`http://upstream.example${target}`);
  return { path: url.pathname, parameters: [...url.searchParams], hash: url.hash };
}

describe('a value in a query', () => {
  const templates = { a: '{value}', 'b[c]': 'x {value} y', d: '1' };
  const render = compileQuery(templates);
  const request = compileRequest(requestSpec('/items', templates), ['value'], locationIn(refuse));

  it('arrives as it is, and as nothing else', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const { path, parameters, hash } = seen(request({ value }, []).target);
        expect(parameters).toEqual([
          ['a', value],
          ['b[c]', `x ${value} y`],
          ['d', '1'],
        ]);
        expect([path, hash]).toEqual(['/items', '']);
      }),
      { numRuns: 1_000 },
    );
  });

  it('makes its parameter vanish where it is absent', () => {
    expect(render({})).toEqual(['d=1']);
    expect(render({ value: '' })).toEqual(['a=', 'b%5Bc%5D=x%20%20y', 'd=1']);
    expect(render({ value: 0 })).toEqual(['a=0', 'b%5Bc%5D=x%200%20y', 'd=1']);
  });

  it('may stand in the name of a parameter, which vanishes with it', () => {
    const named = compileQuery({ 'sort[{value}]': '1', b: '2' });
    expect(named({ value: 'x]=2&y' })).toEqual(['sort%5Bx%5D%3D2%26y%5D=1', 'b=2']);
    expect(named({})).toEqual(['b=2']);
  });

  it('is not a template itself', () => {
    expect(compileQuery({ a: '{value}{other}' })({ value: '{other}', other: 'x' })).toEqual([
      'a=%7Bother%7Dx',
    ]);
  });

  it('is encoded down to the unreserved characters, a space as %20', () => {
    expect(percentEncode("a b+c!'()*~-._")).toBe('a%20b%2Bc%21%27%28%29%2A~-._');
  });
});

describe('a value in a path', () => {
  const request = compileRequest(requestSpec('/users/{id}/card.do'), ['id'], locationIn(refuse));

  it('is one segment, whatever it is', () => {
    fc.assert(
      fc.property(anything, (id) => {
        // These two would be steps between folders; they are never the id of anything (see native-id).
        fc.pre(id !== '.' && id !== '..');
        const { path, parameters, hash } = seen(request({ id }, []).target);
        expect(path.split('/')).toHaveLength(4);
        expect(decodeURIComponent(path.split('/')[2]!)).toBe(id);
        expect([parameters, hash]).toEqual([[], '']);
      }),
      { numRuns: 1_000, examples: [['a/../../b'], ['a?b=c'], ['a#b'], ['%2e%2e']] },
    );
  });
});

describe('a template', () => {
  const problemsOf = (path: string, query: Record<string, string>) => {
    const problems: string[] = [];
    compileRequest(
      requestSpec(path, query),
      ['offset', 'limit'],
      locationIn((at, message) => problems.push(`${at.join('.')} ${message}`), ['request']),
    );
    return problems;
  };

  it('may name the variables of its window', () => {
    expect(problemsOf('/x', { from: '{offset}', n: '{limit}', filter: '{"a":{"b":1}}' })).toEqual([]);
  });

  it.each(['{page}', '{Offset}', '{page_size}', '{per-page}', '{offset1}', 'x{id}y'])(
    'may not name %s',
    (template) => {
      expect(problemsOf('/x', { a: template })).toEqual([
        expect.stringMatching(/^request\.query\.a unknown variable \{/),
      ]);
      expect(problemsOf(`/${template}`, {})).toEqual([
        expect.stringMatching(/^request\.path unknown variable \{/),
      ]);
    },
  );
});
