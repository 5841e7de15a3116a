import {
  type Answer,
  type HttpReply,
  serving,
  startUpstream,
  type UpstreamRequest,
} from './scripted-upstream.ts';

/** One person, as the service has it. */
export type Person = {
  readonly no: number;
  readonly name: string;
  readonly mail: string;
  readonly since: string;
};

/** How the service departs from what its file says; each takes what would be answered otherwise. */
export type Quirks = {
  /** In place of every answer to a request without the right key; `undefined` lets it pass. */
  readonly refusal?: () => HttpReply | undefined;
  readonly list?: (answer: HttpReply, query: URLSearchParams, request: number) => Answer;
  /** A record, by what stands in the path; there may be none. */
  readonly get?: (answer: HttpReply, id: string) => Answer;
};

/** A service with 30 people that asks for a key, and counts what it is asked. */
export type PeopleService = {
  readonly baseUrl: string;
  /** From now on, it has these quirks, and has been asked nothing. */
  become(quirks: Quirks): void;
  readonly requests: number;
  close(): Promise<void>;
};

/** Everyone whom the service knows. */
export const people: readonly Person[] = Array.from({ length: 30 }, (_, index) => ({
  no: index + 1,
  name: `Secret Name ${index + 1}`,
  mail: `secret-${index + 1}@mail.example`,
  since: '2020-01-01T00:00:00Z',
}));

/** The rows that a list asks for. */
export function peopleAt(query: URLSearchParams): readonly Person[] {
  const from = Number(query.get('from'));
  return people.slice(from, from + Math.min(10, Number(query.get('n') ?? 10)));
}

/** The file of the service; what stands under `list`, `source` and `get` is changed by the texts given. */
export function peopleSource(
  baseUrl: string,
  { auth = 'good', list = '', since = '[iso8601]', order = 'id', budget = '{}', mail = 'mail' } = {},
): string {
  return `source: 1
name: people
net: { baseUrl: '${baseUrl}', timeout: 2s }
auth: { kind: header, name: X-Key, value: ${auth} }
budget: ${budget}
outcomes:
  - { status: 401, is: unauthorized }
  - { on: get, status: 404, is: not_found }
  - { status: 503, is: unavailable }
  - { status: 200, is: ok }
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /people, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 10 }
      items: people
      order: ${order}
      orderIs: documented
      ${list}
      map:
        id: no
        name: name
        email: ${mail}
        created_at: { from: since, as: ${since} }
    get:
      request: { path: '/people/{id}' }
      item: person
      map:
        id: no
        name: name
        email: mail
        created_at: { from: since, as: [iso8601] }
        profile.bio: null
        profile.location: null
        profile.avatar_url: null
`;
}

/** Ends the connection in place of an answer. */
export const hangUp: Answer = ({ socket }) => socket?.destroy();

function answer({ path, query, headers }: UpstreamRequest, quirks: Quirks, request: number): Answer {
  const refused = quirks.refusal ?? (() => ({ status: 401, body: { error: 'key' } }));
  const refusal = headers['x-key'] === 'good' ? undefined : refused();
  if (refusal !== undefined) return refusal;
  if (path === '/people') {
    const reply = { body: { people: peopleAt(query), n: people.length } };
    return quirks.list?.(reply, query, request) ?? reply;
  }
  const id = decodeURIComponent(path.slice('/people/'.length));
  const person = people.find(({ no }) => String(no) === id);
  const reply = person === undefined ? { status: 404, body: {} } : { body: { person } };
  return quirks.get?.(reply, id) ?? reply;
}

/** Starts the service on a free port. */
export async function startPeopleService(): Promise<PeopleService> {
  const upstream = await startUpstream();
  return {
    ...upstream,
    baseUrl: upstream.origin,
    become: (quirks) =>
      upstream.become(serving((request) => answer(request, quirks, upstream.requests.length))),
    get requests() {
      return upstream.requests.length;
    },
  };
}
