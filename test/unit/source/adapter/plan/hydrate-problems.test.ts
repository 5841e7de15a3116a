import { compileText } from '../../../../support/pipeline/source-text.ts';

const text = (map: string, hydrate: string, get = '') => `
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users }
      window: { kind: none }
      items: ''
      map: ${map}
      hydrate: ${hydrate}
    ${get}
`;

const GET =
  'get: { request: { path: "/users/{id}" }, item: "", map: { id: id, name: n, email: e, created_at: { from: c, as: [iso8601] }, profile.bio: b, profile.location: l, profile.avatar_url: a } }';
const OWN = '{ request: { path: "/users/{id}" }, map: { id: id, name: n, email: e, created_at: null } }';

const problemsOf = (...parts: Parameters<typeof text>) => compileText('users', text(...parts)).problems;

describe('the fields that rows lack', () => {
  it.each([
    ['in the single record', '{ id: id }', 'get'],
    ['partly in the single record', '{ id: id, email: mail }', 'get'],
    ['in a record of its own', '{ id: id }', OWN],
  ])('are accepted %s', (_where, map, hydrate) => expect(problemsOf(map, hydrate, GET)).toEqual([]));

  it.each([
    [
      'cannot be a single record that there is not',
      ['{ id: id }', 'get', ''],
      ['resources.users.list.hydrate: the source has no `get`'],
    ],
    [
      'is not asked for where the row has all',
      ['{ id: id, name: n, email: e, created_at: null }', 'get', GET],
      ['resources.users.list.hydrate: the rows have every field already'],
    ],
    [
      'is not said twice',
      ['{ id: id, name: n }', OWN, GET],
      ['resources.users.list.hydrate.map.name: the rows have "name" already'],
    ],
    [
      'has an id, so that the row it belongs to is known',
      ['{ id: id }', OWN.replace('id: id, ', ''), GET],
      [`resources.users.list.hydrate.map: the contract's field "id" has no source`],
    ],
    [
      'is asked for by the id alone',
      ['{ id: id }', OWN.replace('{id}', '{name}'), GET],
      ['resources.users.list.hydrate.request.path: unknown variable {name}'],
    ],
  ] as const)('%s', (_what, [map, hydrate, get], problems) => {
    const found = problemsOf(map, hydrate, get);
    expect(found).toEqual(expect.arrayContaining([...problems]));
  });
});
