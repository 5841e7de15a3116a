import { compileAdapter } from '../../../../src/source/adapter/compile.ts';
import type { Adapter } from '../../../../src/source/adapter/compile.ts';
import type { ReplyObserver } from '../../../../src/source/adapter/map/reply-observer.ts';
import { resources } from '../../../support/reference.ts';
import type { UpstreamReply } from '../../../../src/kernel/upstream-call.ts';
import {
  createLargeReplies,
  readInThreadIfLarge,
} from '../../../../src/pipeline/reading/large-replies/large-replies.ts';
import { replyOf, specOf } from '../../../support/pipeline/source-text.ts';

const spec = specOf(`
outcomes: [{ status: 404, is: not_found }, { status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /people }
      window: { kind: none }
      items: rows
      total: { at: total }
      map: { id: id, name: name }
      hydrate:
        request: { path: '/people/{id}' }
        item: ''
        map: { id: id, email: email, created_at: null }
    get:
      request: { path: '/people/{id}' }
      item: ''
      map: { id: id, name: name, email: email, created_at: null, profile.bio: bio, profile.location: null, profile.avatar_url: null }
`);
const resource = resources.users;
const compiled = compileAdapter(spec, resource, (path, message) => {
  throw new Error(`${path.join('.')}: ${message}`);
})!;

/** Sizes of the bodies that this thread has read itself. */
const readHere: number[] = [];
const noting =
  <A extends [UpstreamReply, ...unknown[]], R>(read: (...args: A) => R) =>
  (...args: A): R => {
    readHere.push(args[0].body.length);
    return read(...args);
  };
const one = <T extends NonNullable<Adapter['get']>>(adapter: T): T => ({
  ...adapter,
  find: noting(adapter.find),
});
const adapter: Adapter = {
  list: {
    ...compiled.list,
    readCount: noting(compiled.list.readCount),
    details: one(compiled.list.details!),
  },
  get: one(compiled.get!),
};
const largeReplies = createLargeReplies({ adapter, resource, source: { spec } });
afterAll(() => largeReplies.close());
beforeEach(() => (readHere.length = 0));

const keys = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`key_${at}`, at]));
const person = { id: 7, name: 'Ada', email: 'ada@example.org', bio: 5 };

type Read = (of: Adapter, reply: UpstreamReply, observer: ReplyObserver) => unknown;
const READS: Record<'get' | 'details' | 'count', Read> = {
  get: (of, reply, observer) => of.get!.read(reply, 'user_7', observer),
  details: (of, reply, observer) => of.list.details!.read(reply, 'user_7', observer),
  count: (of, reply, observer) => of.list.readCount(reply, observer),
};

/** What a reply is read to, and what the observer learns on the way. */
async function outcomeOf(read: (observer: ReplyObserver) => unknown) {
  const told: unknown[] = [];
  const observer = {
    onMissingValue: (...gap: unknown[]) => void told.push(gap),
    onRule: (rule: number | undefined) => void told.push(rule),
  };
  const result = await Promise.resolve()
    .then(() => read(observer))
    .catch((error: unknown) => ({ error: { ...(error as object), cause: undefined } }));
  return { result, told };
}

/** Reads as the gateway does. */
const aside = (view: keyof typeof READS, reply: UpstreamReply) =>
  outcomeOf((observer) =>
    readInThreadIfLarge(
      { largeReplies },
      reply,
      { view, observer, signal: new AbortController().signal },
      (part) => READS[view](largeReplies.adapter, part, observer),
    ),
  );
const here = (view: keyof typeof READS, reply: UpstreamReply) =>
  outcomeOf((observer) => READS[view](compiled, reply, observer));

describe('a reply of one record or a count with tens of thousands of keys', () => {
  it.each<[string, keyof typeof READS, object, number?]>([
    ['a record', 'get', { ...person, ...keys }],
    ['a record that is another one', 'get', { ...person, ...keys, id: 8 }],
    ['a record without a usable id', 'get', { ...person, ...keys, id: 'x y' }],
    ['a record that is not there', 'get', keys, 404],
    ['a failure', 'get', keys, 500],
    ['the details of a row', 'details', { ...person, ...keys }],
    ['a count', 'count', { total: 12, rows: [], ...keys }],
    ['a count that cannot be read', 'count', { total: 'many', rows: [], ...keys }],
  ])('is read by the thread to what it is here: %s', async (_name, view, body, status = 200) => {
    const reply = replyOf(body, { status });
    const expected = await here(view, reply);
    readHere.length = 0;
    expect(await aside(view, reply)).toEqual(expected);
    expect(readHere).toEqual([]);
  });

  it('names the record that came in the place of another', async () => {
    const reply = replyOf({ ...person, ...keys, id: 8 });
    const found = await outcomeOf((observer) =>
      readInThreadIfLarge(
        { largeReplies },
        reply,
        { view: 'get', observer, signal: new AbortController().signal },
        (part) => largeReplies.adapter.get!.find(part, observer)?.id,
      ),
    );
    expect([found.result, readHere]).toEqual(['user_8', []]);
  });

  it('tells of a large value that cannot be read, without the value, which would take as long to read again', async () => {
    const { result, told } = await aside('get', replyOf({ ...person, bio: keys }));
    expect(result).toMatchObject({ id: 'user_7', 'profile.bio': null });
    expect(told).toContainEqual(['profile.bio', 'unreadable', undefined, undefined]);
  });
});

describe('a small reply of one record', () => {
  it('is read at once, without a thread', () => {
    const read = readInThreadIfLarge(
      { largeReplies },
      replyOf(person),
      {
        view: 'get',
        observer: { onRule: () => undefined },
        signal: new AbortController().signal,
      },
      () => 'at once',
    );
    expect(read).toBe('at once');
  });
});
