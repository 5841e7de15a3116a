import { UNOBSERVED } from '../../../../../src/source/adapter/map/reply-observer.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';
import { adapterOf, replyOf } from '../../../../support/pipeline/source-text.ts';

const usersText = (kind: string) => `
outcomes:
  - { status: 200, at: rc, equals: 44, on: get, is: not_found }
  - { status: 200, is: ok }
  - { status: 404, on: get, is: not_found }
  - { status: 410, is: past_end }
resources:
  users:
    id: { kind: ${kind} }
    list:
      request: { path: /users }
      window: { kind: none }
      items: ''
      map: { id: id, name: n, email: m, created_at: { from: at, as: [iso8601] } }
    get:
      request: { path: '/users/{id}', query: { key: '{id}', v: 2 } }
      item: user
      map: { id: id, name: n, email: m, created_at: { from: at, as: [iso8601] }, profile.bio: b, profile.location: l, profile.avatar_url: a }
`;

const numbers = adapterOf('users', usersText('number')).get!;
const texts = adapterOf('users', usersText('text')).get!;
const read = (body: unknown, options = {}) => numbers.read(replyOf(body, options), 'user_7', UNOBSERVED);
const codeOf = (body: unknown, options = {}) => refusal(() => read(body, options)).code;

describe('the request for a single record', () => {
  it('has the native id wherever it is named', () =>
    expect(numbers.request('user_7')?.target).toBe('/users/7?key=7&v=2'));

  it('encodes a native id that is a text, as one segment', () => {
    expect(texts.request('user_a~2fb~20c')?.target).toBe('/users/a%2Fb%20c?key=a%2Fb%20c&v=2');
    expect(texts.request('user_auth0~7c5457')?.target).toBe('/users/auth0%7C5457?key=auth0%7C5457&v=2');
  });

  it.each(['user_07', 'user_abc', 'user_'])('does not exist for %s, which no record can have', (id) =>
    expect(numbers.request(id)).toBeUndefined(),
  );

  it.each(['user_.', 'user_..', 'user_~2e', 'user_~ff'])(
    'does not exist for %s, which no record can have',
    (id) => expect(texts.request(id)).toBeUndefined(),
  );
});

describe('a single record', () => {
  it('is read with the fields of its view', () => {
    expect(
      read({ user: { id: '007', n: 'Ada', at: '2020-01-01T00:00:00Z', b: 'x', pass: 'canary' } }),
    ).toEqual({
      ...{ id: 'user_7', name: 'Ada', email: null, created_at: '2020-01-01T00:00:00Z' },
      ...{ 'profile.bio': 'x', 'profile.location': null, 'profile.avatar_url': null },
    });
  });

  it.each<[string, unknown, object]>([
    ['by a code under 200', { rc: 44 }, {}],
    ['by its status', 'nothing here', { status: 404, headers: { 'content-type': 'text/html' } }],
    ['by its status, without a body', '', { status: 404, headers: { 'content-type': '' } }],
  ])('is absent where the source says so %s', (_name, body, options) =>
    expect(read(body, options)).toBeUndefined(),
  );

  it.each<[string, unknown, object]>([
    ['is not where it should be', { data: { id: 7 } }, {}],
    ['is null', { user: null }, {}],
    ['is another one', { user: { id: 8 } }, {}],
    ['has no id', { user: { n: 'Ada' } }, {}],
    ['is a list', { user: [{ id: 7 }] }, {}],
    ['is a text', { user: 'user_7' }, {}],
    ['is "past the end"', '', { status: 410 }],
    ['is HTML', '<html>', { headers: { 'content-type': 'text/html' } }],
  ])('that %s is 502, never 404', (_name, body, options) =>
    expect(codeOf(body, options)).toBe('upstream_invalid_response'),
  );
});

describe('a single record that dropWhen matches', () => {
  const live = adapterOf(
    'users',
    usersText('number').replace(
      'item: user\n',
      'item: user\n      dropWhen: [{ at: deleted, equals: true }]\n',
    ),
  ).get!;
  const of = (user: object) => live.read(replyOf({ user }), 'user_7', UNOBSERVED);

  it('is absent', () => {
    expect(of({ id: 7, deleted: true })).toBeUndefined();
    expect(of({ deleted: true })).toBeUndefined();
    expect(of({ id: 7, deleted: false })).toMatchObject({ id: 'user_7' });
  });
});
