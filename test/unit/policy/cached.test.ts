import fc from 'fast-check';
import type { Query } from '../../../src/contract/query.ts';
import { fault } from '../../../src/errors/fault.ts';
import type { Call } from '../../../src/policy/call.ts';
import {
  createCached,
  type Document,
  type Fill,
  type Freshness,
  type Question,
} from '../../../src/policy/cached.ts';
import { createCache, type Cache } from '../../../src/store/cache.ts';
import { createCall, later } from '../../support/call.ts';
import { createLocalPurges } from '../../../src/store/purges.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { parseList } from '../../support/parse-as.ts';

const clock = createManualClock();
const newCache = () =>
  createCache({
    ...{ clock, localBytes: 1024 ** 2, localSeconds: 5 },
    purges: createLocalPurges(),
    onEvent: () => undefined,
  });

const query = (raw = ''): Query => parseList('products.list', raw);
const callOf = (rest: Partial<Call> = {}) =>
  createCall({ operation: 'products.list', query: query(), ...rest });
const found = (body: string, freshSeconds = 60): Document => ({
  found: true,
  body,
  storedAt: clock.now(),
  freshSeconds,
  tags: [],
});

/** A cached handler over a fill that counts its runs and answers when it is told to. */
function setUp({
  cache = newCache(),
  digest = 'd1',
  notFoundSeconds = 2,
  stale = {},
}: { cache?: Cache; digest?: string; notFoundSeconds?: number; stale?: Partial<Freshness> } = {}) {
  const runs: {
    call: Question;
    signal: AbortSignal;
    finish: (document: Document) => void;
    fail: (error: Error) => void;
  }[] = [];
  const fill: Fill = (call, signal) =>
    new Promise((finish, fail) => {
      runs.push({ call, signal, finish, fail });
      signal.addEventListener('abort', () => fail(signal.reason as Error));
    });
  const deps = {
    ...{ cache, clock, digest },
    freshness: { notFound: notFoundSeconds, staleWhileRevalidate: 0, staleIfError: 0, ...stale },
    generation: () => ({ epoch: '', purges: 0 }),
    jitter: () => 0,
    background: (work: (signal: AbortSignal) => Promise<unknown>) =>
      void work(new AbortController().signal).catch(() => undefined),
  };
  return { runs, serve: later(createCached(deps, fill)) };
}

/** Lets everything run that can. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('an answer', () => {
  it('is made once, and served from the cache afterwards', async () => {
    const { serve, runs } = setUp();
    const [first, second] = [callOf(), callOf()];
    const made = serve(first);
    await settled();
    runs[0]!.finish(found('{"data":[]}', 30));
    expect(await made).toMatchObject({ body: Buffer.from('{"data":[]}'), freshSeconds: 30, cache: 'miss' });
    expect(await serve(second)).toMatchObject({ body: Buffer.from('{"data":[]}'), cache: 'hit' });
    expect(runs).toHaveLength(1);
    expect([first.trace.cache, second.trace.cache]).toEqual(['miss', 'hit']);
  });

  it('has a strong tag that changes with its bytes, and with nothing else', async () => {
    const tags = [];
    for (const body of ['{"a":1}', '{"a":2}', '{"a":1}']) {
      const { serve, runs } = setUp();
      const made = serve(callOf());
      await settled();
      runs[0]!.finish(found(body));
      tags.push((await made).etag);
    }
    expect(tags[0]).toMatch(/^"[A-Za-z0-9_-]{20,}"$/);
    expect(tags[0]).toBe(tags[2]);
    expect(tags[0]).not.toBe(tags[1]);
  });

  it('is made anew when its freshness has ended', async () => {
    const { serve, runs } = setUp();
    const first = serve(callOf());
    await settled();
    runs[0]!.finish(found('1', 10));
    await first;
    clock.advance(10_000);
    void serve(callOf()).catch(() => undefined);
    await settled();
    expect(runs).toHaveLength(2);
  });

  it('is made once for a hundred callers at a time', async () => {
    const { serve, runs } = setUp();
    const calls = Array.from({ length: 100 }, () => serve(callOf()));
    await settled();
    expect(runs).toHaveLength(1);
    runs[0]!.finish(found('1'));
    const replies = await Promise.all(calls);
    expect(new Set(replies.map(({ body }) => body.toString()))).toEqual(new Set(['1']));
  });

  it('is made to the end for those who stay, and cancelled when all have gone', async () => {
    const { serve, runs } = setUp();
    const [a, b] = [new AbortController(), new AbortController()];
    const gone = serve(callOf({ signal: a.signal }));
    const stays = serve(callOf({ signal: b.signal }));
    await settled();
    a.abort(new Error('client gone'));
    await expect(gone).rejects.toThrow('client gone');
    expect(runs[0]!.signal.aborted).toBe(false);
    b.abort(new Error('client gone'));
    await expect(stays).rejects.toThrow('client gone');
    expect(runs[0]!.signal.aborted).toBe(true);
  });
});

describe('a record that does not exist', () => {
  const absent: Document = { found: false, tags: [] };

  it('is 404, and remembered for a while', async () => {
    const { serve, runs } = setUp({ notFoundSeconds: 2 });
    const first = serve(callOf());
    await settled();
    runs[0]!.finish(absent);
    await expect(first).rejects.toMatchObject({ code: 'not_found' });
    await expect(serve(callOf())).rejects.toMatchObject({ code: 'not_found' });
    expect(runs).toHaveLength(1);
    clock.advance(2_000);
    void serve(callOf()).catch(() => undefined);
    await settled();
    expect(runs).toHaveLength(2);
  });

  it('is asked for again each time where that is turned off', async () => {
    const { serve, runs } = setUp({ notFoundSeconds: 0 });
    for (const run of [0, 1]) {
      const call = serve(callOf());
      await settled();
      runs[run]!.finish(absent);
      await expect(call).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('a failure', () => {
  it('is told to everybody who waited, and never remembered', async () => {
    const { serve, runs } = setUp();
    const calls = [serve(callOf()), serve(callOf())];
    await settled();
    runs[0]!.fail(fault('upstream_timeout'));
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'upstream_timeout' });
    const again = serve(callOf());
    await settled();
    runs[1]!.finish(found('1'));
    expect((await again).cache).toBe('miss');
  });
});

describe('an answer past its freshness', () => {
  /** A handler whose first answer, `old`, is `ageSeconds` old. */
  async function withOld(stale: Partial<Freshness>, ageSeconds: number) {
    const { serve, runs } = setUp({ stale });
    const first = serve(callOf());
    await settled();
    runs[0]!.finish(found('old', 10));
    await first;
    clock.advance(ageSeconds * 1_000);
    return { serve, runs };
  }

  it('is served at once while one new answer is made behind the callers', async () => {
    const { serve, runs } = await withOld({ staleWhileRevalidate: 20 }, 29);
    const replies = await Promise.all([serve(callOf()), serve(callOf()), serve(callOf())]);
    expect(replies.map(({ body, cache }) => `${body.toString()} ${cache}`)).toEqual(
      Array.from({ length: 3 }, () => 'old stale'),
    );
    await settled();
    expect(runs).toHaveLength(2);
    runs[1]!.finish(found('new', 10));
    await settled();
    expect(await serve(callOf())).toMatchObject({ body: Buffer.from('new'), cache: 'hit' });
  });

  it('is not served past the second that was allowed', async () => {
    const { serve, runs } = await withOld({ staleWhileRevalidate: 20 }, 30);
    const reply = serve(callOf());
    await settled();
    runs[1]!.finish(found('new', 10));
    expect(await reply).toMatchObject({ body: Buffer.from('new'), cache: 'miss' });
  });

  it.each([
    'upstream_unavailable',
    'upstream_timeout',
    'upstream_error',
    'upstream_invalid_response',
  ] as const)('stands in for a source that fails with %s, to the stated second', async (code) => {
    const { serve, runs } = await withOld({ staleIfError: 60 }, 69);
    const reply = serve(callOf());
    await settled();
    runs[1]!.fail(fault(code));
    expect(await reply).toMatchObject({ body: Buffer.from('old'), cache: 'stale' });
    clock.advance(1_000);
    const late = serve(callOf());
    await settled();
    runs[2]!.fail(fault(code));
    await expect(late).rejects.toMatchObject({ code });
  });

  it('hides no failure of our own', async () => {
    const { serve, runs } = await withOld({ staleIfError: 60 }, 11);
    const reply = serve(callOf());
    await settled();
    runs[1]!.fail(fault('server_error'));
    await expect(reply).rejects.toMatchObject({ code: 'server_error' });
  });

  it('gives way to the knowledge that the record is gone', async () => {
    const { serve, runs } = await withOld({ staleIfError: 60 }, 11);
    const reply = serve(callOf());
    await settled();
    runs[1]!.finish({ found: false, tags: [] });
    await expect(reply).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not asked for again right after a refresh that failed', async () => {
    const { serve, runs } = await withOld({ staleWhileRevalidate: 60 }, 11);
    await serve(callOf());
    await settled();
    runs[1]!.fail(fault('upstream_unavailable'));
    await settled();
    expect((await serve(callOf())).cache).toBe('stale');
    expect(runs).toHaveLength(2);
  });
});

describe('the key', () => {
  /** Whether the second call is answered with what was made for the first. */
  async function shared(a: Partial<Call>, b: Partial<Call>, digests = ['d1', 'd1']): Promise<boolean> {
    const cache = newCache();
    const one = setUp({ cache, digest: digests[0]! });
    const other = setUp({ cache, digest: digests[1]! });
    const made = one.serve(callOf(a));
    await settled();
    one.runs[0]!.finish(found('1'));
    await made;
    void other.serve(callOf(b)).catch(() => undefined);
    await settled();
    return other.runs.length === 0;
  }

  it('is the question, however it is spelled', async () => {
    const [a, b] = [{ query: query('page=2&limit=10') }, { query: query('limit=010&x=1&p%61ge=2') }];
    expect(await shared(a, b)).toBe(true);
  });

  it.each<[string, Partial<Call>]>([
    ['the query', { query: query('page=2') }],
    ['the filters', { query: query('category=Toys') }],
    ['the operation', { operation: 'users.list' }],
    ['the kind of query', { query: { kind: 'get', resource: 'users', id: 'user_1' } }],
  ])('differs by %s', async (_name, other) => expect(await shared({}, other)).toBe(false));

  it('differs by the digest of what the answer was made with', async () => {
    expect(await shared({}, {}, ['d1', 'd2'])).toBe(false);
  });

  it('is never the caller: what one may read, another who may read it is given as well', async () => {
    const who = (subject: string) => ({
      principal: {
        kind: 'key' as const,
        id: subject,
        subject,
        permissions: new Set<string>(),
        tier: 'standard',
      },
      requestId: `req_${subject}`,
    });
    expect(await shared(who('a'), who('b'))).toBe(true);
  });

  it('keeps any two different questions apart', async () => {
    const raw = fc.constantFrom(
      '',
      'page=2',
      'limit=5',
      'category=a',
      'category=b',
      'min_price=1',
      'max_price=1',
      'min_price=1.5',
      'category=%2F',
    );
    await fc.assert(
      fc.asyncProperty(raw, raw, async (a, b) => {
        expect(await shared({ query: query(a) }, { query: query(b) })).toBe(a === b);
      }),
      { numRuns: 60 },
    );
  });
});
