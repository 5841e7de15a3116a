import { locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import fc from 'fast-check';
import { compileRequest } from '../../../../../src/source/adapter/request/request.ts';
import type { RequestSpec } from '../../../../../src/config/schema/source.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

const ALLOWED = ['offset', 'limit', 'lastRow', 'value'];
const refuse = (at: readonly PropertyKey[], message: string) => {
  throw new Error(`${at.join('.')}: ${message}`);
};
const requestOf = (spec: Partial<RequestSpec>) =>
  compileRequest({ method: 'GET', path: '/x', query: {}, headers: {}, ...spec }, ALLOWED, locationIn(refuse));

describe('a header of a request', () => {
  it('is filled in, and left out where its value is absent', () => {
    const request = requestOf({
      headers: { Range: 'items={offset}-{lastRow}', Prefer: 'count=exact', 'X-V': '{value}' },
    });
    expect(request({ offset: 20, lastRow: 39 }, []).headers).toEqual({
      Range: 'items=20-39',
      Prefer: 'count=exact',
    });
  });

  it('can neither end nor start another, whatever the value', () => {
    const request = requestOf({ headers: { 'X-V': 'a{value}b' } });
    const hostile = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('\r\nX-Admin: 1', '\n', '\r', '\0', '\u2028', '\u010a', '\u560d\u560a'),
    );
    fc.assert(
      fc.property(hostile, (value) => {
        const { headers } = request({ value }, []);
        expect(Object.keys(headers)).toEqual(['X-V']);
        expect(headers['X-V']).toMatch(/^[\x20-\x7e]*$/);
        expect(Buffer.from(headers['X-V']!, 'latin1').toString('latin1')).not.toMatch(/[\r\n]/);
        if (/^[\x20-\x7e]*$/.test(value)) expect(headers['X-V']).toBe(`a${value}b`);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a request', () => {
  it('has its own parameters, and after them those of filters and sorts', () => {
    const request = requestOf({ path: '/rows', query: { n: '{limit}', q: '{value}' } });
    expect(request({ limit: 5 }, ['cat=Toys', 'sort=id']).target).toBe('/rows?n=5&cat=Toys&sort=id');
    expect(requestOf({})({}, []).target).toBe('/x');
  });

  it('has a body where the source is asked by POST', () => {
    const request = requestOf({ method: 'POST', body: { json: { n: '{limit}' } } });
    expect(request({ limit: 5 }, [])).toEqual({
      ...{ method: 'POST', target: '/x', headers: {} },
      body: { contentType: 'application/json', text: '{"n":5}' },
    });
    expect(requestOf({})({}, []).body).toBeUndefined();
  });

  it.each<[string, Partial<RequestSpec>]>([
    ['headers.X-V unknown variable {page}', { headers: { 'X-V': '{page}' } }],
    ['body.json unknown variable {page}', { method: 'POST', body: { json: '{page}' } }],
    ['body a GET has no body', { body: { form: {} } }],
  ])('is reported: %s', (problem, spec) => {
    const problems: string[] = [];
    compileRequest(
      { method: 'GET', path: '/x', query: {}, headers: {}, ...spec },
      ALLOWED,
      locationIn((at, message) => problems.push(`${at.join('.')} ${message}`)),
    );
    expect(problems).toEqual([problem]);
  });
});
