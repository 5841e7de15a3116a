import { operationsWithField } from '../../../../../src/source/adapter/map/row-fields.ts';
import { compileSources } from '../../../../../src/source/compile-sources.ts';
import { loadSources } from '../../../../../src/config/load.ts';
import { referenceContract } from '../../../../support/reference.ts';

function operationsOf(get: string): readonly string[] {
  const text = `source: 1
name: people
net: { baseUrl: 'http://127.0.0.1:9' }
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users }
      window: { kind: none }
      items: rows
      order: id
      map: { id: no, name: name, email: mail, created_at: null }
${get}`;
  const [users] = compileSources(
    loadSources([{ file: 's.yaml', text }], { variables: {}, readFile: () => '' }, []),
    referenceContract,
    [],
  );
  return operationsWithField(users, 'email');
}

const single = (email: string) => `    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: no, name: name, email: ${email}, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

describe('the operations that lack a field that the list has lost', () => {
  it.each([
    ['both, if the single record has it from the same place', single('mail'), ['users.list', 'users.get']],
    ['the list alone, if the single record has it from another one', single('reach.email'), ['users.list']],
    ['both, if the single record is a row of the list', '', ['users.list', 'users.get']],
  ])('are %s', (_which, get, operations) => {
    expect(operationsOf(get)).toEqual(operations);
  });
});
