import fc from 'fast-check';
import { fault } from '../../../../src/kernel/errors/fault.ts';
import type { Call, SourceAnswer } from '../../../../src/pipeline/stages/call.ts';
import {
  callOf,
  clock,
  found,
  newCache,
  openCached,
  query,
  settled,
} from '../../../support/pipeline/cached-answers.ts';

describe('an answer', () => {
  it('is made once, and served from the cache afterwards', async () => {
    const { serve, runs } = openCached();
    const [first, second] = [callOf(), callOf()];
    const made = serve(first);
    await settled();
    runs[0]!.finish(found('{"data":[]}', 30));
    expect(await made).toMatchObject({ body: Buffer.from('{"data":[]}'), freshSeconds: 30, cache: 'miss' });
    expect(await serve(second)).toMatchObject({ body: Buffer.from('{"data":[]}'), cache: 'hit' });
    expect(runs).toHaveLength(1);
    expect([first.summary.cache, second.summary.cache]).toEqual(['miss', 'hit']);
  });

  it('has a strong tag that changes with its bytes, and with nothing else', async () => {
    const tags = [];
    for (const body of ['{"a":1}', '{"a":2}', '{"a":1}']) {
      const { serve, runs } = openCached();
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
    const { serve, runs } = openCached();
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
    const { serve, runs } = openCached();
    const calls = Array.from({ length: 100 }, () => serve(callOf()));
    await settled();
    expect(runs).toHaveLength(1);
    runs[0]!.finish(found('1'));
    const replies = await Promise.all(calls);
    expect(new Set(replies.map(({ body }) => body.toString()))).toEqual(new Set(['1']));
  });

  it('is made to the end for those who stay, and cancelled when all have gone', async () => {
    const { serve, runs } = openCached();
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
  const absent: SourceAnswer = { found: false, tags: [] };

  it('is 404, and remembered for a while', async () => {
    const { serve, runs } = openCached({ notFoundSeconds: 2 });
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
    const { serve, runs } = openCached({ notFoundSeconds: 0 });
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
    const { serve, runs } = openCached();
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

describe('the key', () => {
  /** Whether the second call is answered with what was made for the first. */
  async function shared(a: Partial<Call>, b: Partial<Call>, digests = ['d1', 'd1']): Promise<boolean> {
    const cache = newCache();
    const one = openCached({ cache, digest: digests[0]! });
    const other = openCached({ cache, digest: digests[1]! });
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
