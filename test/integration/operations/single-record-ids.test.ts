import { type SourceGateway, startSourceGateway } from '../../support/gateway/start-gateway.ts';
import {
  type Answer,
  type ScriptedUpstream,
  serving,
  startUpstream,
} from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const users = ['ada', 'bob', 'Zoë', '_all'].map((id) => ({
  id,
  name: `User ${id}`,
  made: '2026-01-02T03:04:05Z',
}));

/** How a service finds the user of an id. */
type Find = (id: string) => object | undefined;

const exactly: Find = (id) => users.find((one) => one.id === id);
/** Case, blanks, Unicode forms and what stands behind a bar do not count, and `me` is the caller. */
const folding: Find = (id) => {
  const fold = (text: string) => text.split('|')[0]!.normalize('NFC').trim().toLowerCase();
  return users.find((one) => fold(one.id) === fold(id === 'me' ? 'ada' : id));
};
/** Whatever is asked for, it is the last one. */
const confused: Find = () => users[2];

const sourceText = (baseUrl: string, path: string) => `source: 1
name: people
net: { baseUrl: '${baseUrl}' }
outcomes:
  - { status: 200, is: ok }
  - { on: get, status: 404, is: not_found }
resources:
  users:
    id: { kind: text }
    list:
      request: { path: /users/_all, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 100 }
      total: { at: total }
      items: rows
      order: id
      sort: { query: { by: '{column}' }, columns: { id: { column: id, directions: [ascending] } } }
      map: &map { id: id, name: name, email: null, created_at: { from: made, as: [iso8601] } }
    get:
      request: { path: '${path}' }
      item: ''
      map: { <<: *map, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

let upstream: ScriptedUpstream;
let gateway: SourceGateway;

async function start(find: Find, path = '/users/{id}', listed = users): Promise<void> {
  upstream = endAfterTest(
    await startUpstream(
      serving(({ path: asked }): Answer => {
        if (asked === '/users/_all') return { body: { total: listed.length, rows: listed } };
        const user = find(decodeURIComponent(asked.replace('/users/', '')));
        return user === undefined ? { status: 404, body: {} } : { body: user };
      }),
    ),
  );
  gateway = endAfterTest(await startSourceGateway(sourceText(upstream.origin, path)));
}

async function ask(id: string): Promise<[status: number, id: string | undefined]> {
  const response = await gateway.get(`/v1/users/user_${id}`);
  const { data, error } = (await response.json()) as { data?: { id: string }; error?: { code: string } };
  return [response.status, data?.id ?? error?.code];
}

describe('an id that the service folds', () => {
  it.each(['ADA', 'Ada', 'ada~20', '~20ada', 'Zoe~cc~88', 'ada~7c', 'ada~7cbob', 'me'])(
    'such as user_%s is nobody: 404, even as the first that is asked for',
    async (id) => {
      await start(folding);
      expect(await ask(id)).toEqual([404, 'not_found']);
      expect(await ask('ada')).toEqual([200, 'user_ada']);
    },
  );

  it('has the service asked for a record that its list shows, where it has given none so far', async () => {
    await start(folding);
    await ask('me');
    await ask('me');
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      ...['/users/me', '/users/me', '/users/_all', '/users/bob', '/users/me', '/users/me'],
    ]);
  });
});

describe('a service whose single view gives other records', () => {
  it('is 502, asked again each time, and its claim is disabled', async () => {
    await start((id) => ({ ...users[0]!, id: `${id}x` }));
    for (let n = 0; n < 2; n += 1) expect(await ask('ada')).toEqual([502, 'upstream_invalid_response']);
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      ...['/users/ada', '/users/ada', '/users/_all', '/users/ada', '/users/ada'],
    ]);
    expect(gateway.log.filter((line) => line.includes('"capability":"get"'))).toHaveLength(1);
  });

  it.each([2, 3, 7])(
    'is 502 where each request of %i brings another record, and never 404 for a user who exists',
    async (every) => {
      let asked = 0;
      await start((id) => {
        asked += 1;
        return asked % every === 0 ? users.find((one) => one.id !== id) : exactly(id);
      });
      const answers: unknown[] = [];
      for (let n = 0; n < 5; n += 1) for (const id of ['ada', 'bob', 'Zo~c3~ab']) answers.push(await ask(id));
      expect(answers).toContainEqual([502, 'upstream_invalid_response']);
      expect(answers.filter((answer) => (answer as [number])[0] === 404)).toEqual([]);
    },
  );

  it('is 502 where a record that came before is another one now, each time', async () => {
    let find: Find = exactly;
    await start((id) => find(id));
    for (const id of ['ada', 'bob']) expect((await ask(id))[0]).toBe(200);
    await gateway.get('/v1/users/user_Zo~c3~ab');
    find = confused;
    expect((await ask('ada'))[0]).toBe(502);
  });

  it('is 502, too, where it always gives the same one, for which it is right', async () => {
    await start(confused);
    const answers: number[] = [];
    for (const id of ['ada', 'Zo~c3~ab', 'bob']) answers.push((await ask(id))[0]);
    expect(answers).toEqual([502, 200, 502]);
  });
});

describe('a service whose list shows no record that could prove its single view wrong', () => {
  const [ada, bob] = users;
  const gone: Find = (id) => (id === 'bob' ? undefined : folding(id));

  it.each<[string, Find, typeof users]>([
    ['because it is empty', folding, []],
    ['but the one that came', folding, [ada!]],
    ['but one that nobody can ask for', folding, [users[3]!]],
    ['but one that is gone', gone, [ada!, bob!]],
  ])('keeps its claim, and an alias is 502 until right records have come: %s', async (_why, find, listed) => {
    await start(find, '/users/{id}', listed);
    for (let n = 0; n < 2; n += 1) expect(await ask('me')).toEqual([502, 'upstream_invalid_response']);
    expect(gateway.log.filter((line) => line.includes('"capability":"get"'))).toEqual([]);
    for (const id of ['Zo~c3~ab', 'ada']) expect((await ask(id))[0]).toBe(200);
    expect(await ask('me')).toEqual([404, 'not_found']);
  });
});

describe('an id with which the request of a record is that of the list', () => {
  it('is 404, and the service is not asked', async () => {
    await start(exactly);
    expect(await ask('_all')).toEqual([404, 'not_found']);
    expect(upstream.calls).toBe(0);
    expect(await ask('ada')).toEqual([200, 'user_ada']);
  });
});
