import {
  isBrokenQuery,
  refusalHint,
} from '../../../../../../src/workbench/doctor/probes/windows/refusal-hint.ts';

type Refused = Parameters<typeof refusalHint>[0];

const refused = (body: unknown, status = 200, target = '/graphql') =>
  ({
    request: { target },
    reply: { status, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) },
  }) as unknown as Refused;

describe('a GraphQL query that the service refuses', () => {
  const error = { message: 'no such field', locations: [{ line: 1, column: 3 }] };

  it('is told by an error with a location and no path, without data', () => {
    expect(isBrokenQuery(refused({ errors: [error] }))).toBe(true);
  });

  it.each<[string, unknown]>([
    ['data came beside the error', { data: { users: null }, errors: [error] }],
    ['the error is in the data', { errors: [{ ...error, path: ['users'] }] }],
    ['the error has no location', { errors: [{ message: 'not allowed' }] }],
    ['there are no errors', {}],
    ['the body is no JSON', '<html>'],
    ['the body is empty', ''],
  ])('is not assumed if %s', (_why, body) => expect(isBrokenQuery(refused(body))).toBe(false));
});

describe('what to look at after a refusal', () => {
  it('is the credential after a 401, whatever was sent', () => {
    expect(refusalHint(refused({}, 401, '/items?page=1'))).toBe('auth, and the variables that it names');
  });

  it('is a parameter, too, after a 403 to a request that has some', () => {
    expect(refusalHint(refused({}, 403, '/items?page=1&n=5&page=2'))).toBe(
      'auth, and the variables that it names; or a parameter that the service refuses: page, n',
    );
  });

  it('is the credential alone after a 403 to a request without parameters', () => {
    expect(refusalHint(refused({}, 403, '/items'))).toBe('auth, and the variables that it names');
  });
});
