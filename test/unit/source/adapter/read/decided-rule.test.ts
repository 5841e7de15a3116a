import { compileAdapter } from '../../../../../src/source/adapter/compile.ts';
import { countedRules } from '../../../../../src/source/adapter/read/outcome.ts';
import { type ReplyObserver, UNOBSERVED } from '../../../../../src/source/adapter/map/reply-observer.ts';
import { resources } from '../../../../support/reference.ts';
import { replyOf, specOf } from '../../../../support/pipeline/source-text.ts';

const spec = specOf(`
outcomes:
  - { status: 200, at: rc, equals: 44, on: get, is: not_found }
  - { status: 200, is: ok }
  - { status: 404, on: list, is: past_end }
  - { status: 5xx, is: unavailable }
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 40 }
      total: { count: { path: /users/count }, at: n }
      items: rows
      map: { id: id, name: n, email: m, created_at: { from: at, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: user
      map: { id: id, name: n, email: m, created_at: { from: at, as: [iso8601] }, profile.bio: b, profile.location: l, profile.avatar_url: a }
`);
const { list, get } = compileAdapter(spec, resources.users, (path, message) => {
  throw new Error(`${path.join('.')}: ${message}`);
})!;
const told: (number | undefined)[] = [];
const observer: ReplyObserver = { ...UNOBSERVED, onRule: (rule) => told.push(rule) };
beforeEach(() => (told.length = 0));

const row = { id: 7, n: 'Ada', m: 'ada@example.com', at: '2020-01-01T00:00:00Z' };
/** What is told while something is read, whether or not that fails. */
function toldBy(read: () => unknown): typeof told {
  try {
    read();
  } catch {
    // The failure is the affair of other tests.
  }
  return told;
}

describe('the rule that decides a reply is told once', () => {
  it.each<[string, unknown, object, number | undefined]>([
    ['of good rows', { rows: [row] }, {}, 1],
    ['of no rows, which the writer leaves to the general reader', { rows: [] }, {}, 1],
    ['of rows that cannot be used', { rows: [{ n: 'no id' }] }, {}, 1],
    ['behind the last row', 'gone', { status: 404 }, 2],
    ['of a failure', 'busy', { status: 503 }, 3],
    ['of a body that cannot be read', '{"rows":[', {}, 1],
    ['that no rule fits', {}, { status: 302 }, undefined],
    ['that means by its status alone what it means', {}, { status: 429 }, undefined],
  ])('%s', (_what, body, options, rule) => {
    const reply = replyOf(body, options);
    expect(toldBy(() => list.read(reply, observer))).toEqual([rule]);
    told.length = 0;
    expect(toldBy(() => list.readWritten(reply, observer))).toEqual([rule]);
  });

  it('of a count', () => expect(toldBy(() => list.readCount(replyOf({ n: 3 }), observer))).toEqual([1]));

  it('of a single record, one that is not there, and one that nobody asked for, whose id is looked at again', () => {
    const read = (reply: ReturnType<typeof replyOf>) => toldBy(() => get!.read(reply, 'user_7', observer));
    expect(read(replyOf({ user: row }))).toEqual([1]);
    expect(read(replyOf({ rc: 44 }))).toEqual([1, 0]);
    const other = replyOf({ user: { ...row, id: 8 } });
    expect(read(other)).toEqual([1, 0, 1]);
    expect(get!.find(other, UNOBSERVED)?.id).toBe('user_8');
    expect(told).toEqual([1, 0, 1]);
  });
});

it('rules are counted by place and meaning, in the order of the file, and behind them the replies that none fits', () => {
  expect(countedRules(spec)).toEqual([
    { rule: 'outcomes[0]', is: 'not_found' },
    { rule: 'outcomes[1]', is: 'ok' },
    { rule: 'outcomes[2]', is: 'past_end' },
    { rule: 'outcomes[3]', is: 'unavailable' },
    { rule: 'none', is: 'by_status' },
  ]);
});
