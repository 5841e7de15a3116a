import { offsetList } from '../../support/upstream/offset-list-yaml.ts';

/**
 * The file of a source of users with whole windows and a total. `net` is what stands in its `net` beside the address,
 * `more` are further lines.
 */
export const usersSource = (baseUrl: string, net: string, more = ''): string => `source: 1
name: people
net: { baseUrl: '${baseUrl}', ${net} }
${more}
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    ${offsetList('/users')}
      map: { id: id, name: name, email: mail, created_at: { from: made, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: id, name: name, email: mail, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;
