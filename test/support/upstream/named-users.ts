import type { Answer, ScriptedUpstream, UpstreamRequest } from './scripted-upstream.ts';

/** The name that a user has. */
export const nameOf = (id: number): string => `User ${id}`;

/** A service with users of these names; `undefined` where it hangs. */
export function users(name: (id: number) => string | undefined): (request: UpstreamRequest) => Answer {
  return ({ path, id }: UpstreamRequest): Answer => {
    const given = name(path === '/users' ? 1 : id);
    if (given === undefined) return undefined;
    const user = (number: number) => ({ id: number, name: number === 1 ? given : name(number) });
    return { body: path === '/users' ? { hits: 2, rows: [user(1), user(2)] } : { one: user(id) } };
  };
}

/** The file of such a source. */
export const sourceText = (name: string, { origin }: ScriptedUpstream): string => `
source: 1
name: ${name}
net: { baseUrl: '${origin}' }
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: hits }
      items: rows
      order: id
      map: { id: id, name: name, email: null, created_at: null }
    get:
      request: { path: '/users/{id}' }
      item: one
      map: { id: id, name: name, email: null, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;
