import { openSource, type Serve } from '../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../support/pipeline/source-text.ts';
import { codeOf } from './shop.ts';

const map = 'id: id, name: n, email: m, created_at: { from: at, as: [epochSeconds] }';
const text = `
outcomes: [{ status: 200, is: ok }, { status: 404, on: get, is: not_found }]
resources:
  users:
    id: { kind: number }
    list: { request: { path: /users }, window: { kind: none }, items: '', map: { ${map} } }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { ${map}, profile.bio: b, profile.location: l, profile.avatar_url: a }
`;
const open = (serve: Serve) => openSource('users', text, serve);
const get = (source: ReturnType<typeof open>, id: string, signal?: AbortSignal) =>
  source.fill({ kind: 'get', resource: 'users', id }, signal);

describe('a single record', () => {
  it('is asked for by its native id, and answered as the contract says', async () => {
    const source = open(() => replyOf({ id: '0042', n: 'Ada', m: null, at: 0, b: 'x', pwd: 'canary' }));
    const document = await get(source, 'user_42');
    expect(source.calls.map(({ path }) => path)).toEqual(['/users/42']);
    expect(document).toMatchObject({ found: true, storedAt: source.clock.now(), freshSeconds: 10 });
    expect(document.found && JSON.parse(document.body.toString())).toEqual({
      data: {
        ...{ id: 'user_42', name: 'Ada', email: null, created_at: '1970-01-01T00:00:00Z' },
        profile: { bio: 'x', location: null, avatar_url: null },
      },
    });
    expect(source.missingValues).toEqual(['profile.location missing', 'profile.avatar_url missing']);
  });

  it('is absent where the source says so', async () => {
    expect(
      await get(
        open(() => replyOf('', { status: 404 })),
        'user_42',
      ),
    ).toMatchObject({ found: false });
  });

  it.each(['user_042', 'user_x', 'user_~31'])(
    'is absent without a call where no record can have the id %s',
    async (id) => {
      const source = open(() => replyOf({ id: 1 }));
      expect(await get(source, id)).toMatchObject({ found: false });
      expect(source.calls).toEqual([]);
    },
  );

  it('that is another one is 502: one caller must not see what was meant for another', async () => {
    expect(
      await codeOf(
        get(
          open(() => replyOf({ id: 43 })),
          'user_42',
        ),
      ),
    ).toBe('upstream_invalid_response');
  });

  it('is given up when the caller goes', async () => {
    const source = open(
      ({ signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    );
    const caller = new AbortController();
    const answer = get(source, 'user_42', caller.signal);
    caller.abort(new Error('client gone'));
    await expect(answer).rejects.toThrow('client gone');
  });
});
