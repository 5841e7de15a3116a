import { resources } from '../../../support/reference.ts';
import { listBody } from '../../../../src/contract/response-body.ts';
import { networkFault } from '../../../../src/source/client/transport/network-fault.ts';
import { GenerationReplaced } from '../../../../src/migration/routing/new-source-generations.ts';
import { callerOf, failing, openOriginStage, replyOf } from '../../../support/migration/origin-stage.ts';
import { createCall } from '../../../support/pipeline/call.ts';

/** What the writer of v1 lists makes of no record. */
const EMPTY_LIST = listBody(resources.users, [], { total: 0, page: 1, limit: 20 });

const ids = Array.from({ length: 1_000 }, (_, i) => `caller${i}`);

/** The callers that the new source serves at a share. */
async function servedAt(opened: ReturnType<typeof openOriginStage>, percent: number) {
  opened.is({ stage: 'ramp', percent });
  const served: string[] = [];
  for (const id of ids) if ((await opened.ask({ principal: callerOf(id) })).by === 'new') served.push(id);
  return served;
}

describe('the choice of the source of a call', () => {
  it('is the legacy source in legacy and shadow, the new one in live, and the new one alone in complete', async () => {
    const opened = openOriginStage();
    const found: Record<string, unknown> = {};
    for (const stage of ['legacy', 'shadow', 'live', 'complete'] as const) {
      opened.is({ stage });
      found[stage] = (await opened.ask()).by;
    }
    expect(found).toEqual({ legacy: 'legacy', shadow: 'legacy', live: 'new', complete: 'complete' });
  });

  it('is noted and counted where there is one, and not at rest', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'legacy' });
    expect((await opened.ask()).origin).toBeUndefined();
    opened.is({ stage: 'complete' });
    expect((await opened.ask()).origin).toBeUndefined();
    opened.is({ stage: 'shadow' });
    expect((await opened.ask()).origin).toBe('legacy');
    opened.is({ stage: 'live' });
    expect((await opened.ask()).origin).toBe('new');
    expect(opened.counted).toEqual(['users.get legacy', 'users.get new']);
  });

  it('only moves callers forward while the share is raised, and the same ones first after a rollback', async () => {
    const opened = openOriginStage();
    const first = await servedAt(opened, 5);
    const second = await servedAt(opened, 25);
    expect(first.length).toBeGreaterThan(20);
    expect(second).toEqual(expect.arrayContaining(first));
    expect(await servedAt(opened, 100)).toEqual(ids);
    opened.is({ stage: 'shadow', generation: 2 });
    expect((await opened.ask()).by).toBe('legacy');
    expect(await servedAt(opened, 5)).toEqual(first);
  });

  it('follows the lists of callers from the ramp on, and only those who are denied wait for live', async () => {
    const opened = openOriginStage({ allow: ['first'], deny: ['last', 'both'] });
    const by = async (id: string) => (await opened.ask({ principal: callerOf(id) })).by;
    opened.is({ stage: 'shadow' });
    expect(await by('first')).toBe('legacy');
    opened.is({ stage: 'ramp', percent: 0 });
    expect([await by('first'), await by('ana')]).toEqual(['new', 'legacy']);
    opened.is({ stage: 'ramp', percent: 100 });
    expect([await by('last'), await by('ana')]).toEqual(['legacy', 'new']);
    opened.is({ stage: 'live' });
    expect(await by('last')).toBe('new');
  });

  it('keeps a caller without credentials by its address, and a record by its id with lists at the legacy source', async () => {
    const byCaller = openOriginStage();
    byCaller.is({ stage: 'ramp', percent: 50 });
    const anonymous = (address: string) => ({
      principal: { ...callerOf('anonymous'), kind: 'anonymous' as const, subject: `address:${address}` },
    });
    const origins = new Set<string>();
    for (let i = 0; i < 50; i += 1) origins.add((await byCaller.ask(anonymous(`192.0.2.${i}`))).by);
    expect([...origins].sort()).toEqual(['legacy', 'new']);
    const byRecord = openOriginStage({ bucketBy: 'record' });
    byRecord.is({ stage: 'ramp', percent: 100 });
    const list = { kind: 'list' } as never;
    expect([(await byRecord.ask()).by, (await byRecord.ask({ query: list })).by]).toEqual(['new', 'legacy']);
  });

  it('is that of the operation where it is elsewhere than its resource', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'shadow', operations: { 'users.get': { stage: 'live', percent: 0 } } });
    expect((await opened.ask()).by).toBe('new');
  });

  it('stays as it was where a migration is no longer declared', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'complete' });
    await opened.ask();
    opened.is(undefined);
    expect((await opened.ask()).by).toBe('complete');
  });

  it('is left to a caller with the permission, in any stage but complete, without a fallback', async () => {
    const opened = openOriginStage();
    const tester = callerOf('tester', ['migration:override']);
    const asking = (value: string, principal = tester) =>
      opened.ask({ principal, headerLines: (name) => (name === 'X-Portico-Origin' ? [value] : []) });
    opened.is({ stage: 'legacy' });
    expect((await asking('new')).by).toBe('new');
    expect((await asking('new', callerOf('ana'))).by).toBe('legacy');
    expect((await asking('elsewhere')).by).toBe('legacy');
    opened.is({ stage: 'live' });
    expect((await asking('legacy')).by).toBe('legacy');
    opened.answers.new = failing('upstream_error');
    expect(await asking('new')).toEqual({ by: 'upstream_error', origin: 'new', fallback: undefined });
    opened.is({ stage: 'complete' });
    expect((await asking('legacy')).by).toBe('complete');
  });
});

describe('a call that the new source does not answer', () => {
  it.each([
    ['upstream_error', 'failed'],
    ['upstream_unavailable', 'failed'],
    ['overloaded', 'failed'],
    ['upstream_timeout', 'timeout'],
    ['upstream_invalid_response', 'invalid'],
    ['not_found', 'missing'],
  ] as const)('%s is answered by the legacy source, and counted as %s', async (code, cause) => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = failing(code);
    expect(await opened.ask()).toEqual({ by: 'legacy', origin: 'new', fallback: cause });
    expect(opened.counted).toEqual(['users.get new', `fallback ${cause}`]);
    const whose = { subject: 'key:ana', shape: 'users.get' };
    expect(opened.served).toEqual([{ ms: 0, fallback: cause, isAttributable: true, failing: whose }]);
  });

  it('is a lost connection only where the call was tried', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = () => Promise.reject(networkFault({ code: 'ECONNREFUSED' }));
    expect((await opened.ask()).fallback).toBe('connect');
  });

  it('is of a kind that the new source never answers if the answer is beyond its limits', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = failing('scan_limit_exceeded');
    const list = { kind: 'list', resource: 'users', page: 3, limit: 20, filters: [] } as const;
    await opened.ask({ query: { ...list, sort: { field: 'name', descending: true } } });
    const whose = { subject: 'key:ana', shape: 'users.list page sort' };
    expect(opened.served).toEqual([
      { ms: 0, fallback: 'failed', isAttributable: true, refused: 'sort=-name&page=…', failing: whose },
    ]);
  });

  it('is late after its part of the deadline, and ends at the new source then', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    let signal: AbortSignal | undefined;
    opened.answers.new = (call) =>
      new Promise((_resolve, reject) => {
        signal = call.signal;
        signal.addEventListener('abort', () => reject(call.signal.reason as Error));
      });
    expect(await opened.ask()).toEqual({ by: 'legacy', origin: 'new', fallback: 'timeout' });
    expect(signal?.aborted).toBe(true);
    expect(opened.attempts.size).toBe(0);
  });

  it("is not the new source's failure alone where the legacy source fails as well, or its cache has answered", async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = failing('upstream_error');
    opened.answers.legacy = failing('upstream_unavailable');
    expect((await opened.ask()).by).toBe('upstream_unavailable');
    opened.answers.legacy = () => replyOf('legacy', 'hit');
    expect((await opened.ask()).by).toBe('legacy');
    expect(opened.served.map(({ isAttributable }) => isAttributable)).toEqual([false, false]);
  });

  it.each([
    ['says 404', failing('not_found'), 'not_found'],
    ['has an empty list', () => replyOf(EMPTY_LIST), EMPTY_LIST],
    ['has an empty list in its cache', () => replyOf(EMPTY_LIST, 'hit'), EMPTY_LIST],
  ] as const)('is odd, and no failure of the new source, if the legacy one %s', async (_what, legacy, by) => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = failing('upstream_error');
    opened.answers.legacy = legacy;
    expect(await opened.ask()).toEqual({ by, origin: 'new', fallback: 'odd' });
    expect(opened.counted).toEqual(['users.get new', 'fallback odd']);
    expect(opened.served).toEqual([{ ms: 0, fallback: 'odd', isAttributable: false }]);
  });

  it('does not open the breaker of this process if it is odd, however often', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = failing('upstream_error');
    opened.answers.legacy = failing('not_found');
    for (let asked = 0; asked < 100; asked += 1) await opened.ask();
    opened.answers.new = () => Promise.resolve(replyOf('new'));
    expect((await opened.ask()).by).toBe('new');
  });

  it('is no fallback where both sources have no such record', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = failing('not_found');
    opened.answers.legacy = failing('not_found');
    expect(await opened.ask()).toEqual({ by: 'not_found', origin: 'new', fallback: undefined });
    expect(opened.counted).toEqual(['users.get new']);
    expect(opened.served).toEqual([{ ms: 0, isAttributable: false }]);
  });

  it("is nobody's failure where the caller has left", async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    const gone = new AbortController();
    opened.answers.new = () => {
      gone.abort(new Error('the client has gone'));
      return Promise.reject(new Error('aborted'));
    };
    expect((await opened.ask({ signal: gone.signal })).by).toBe('aborted');
    expect(opened.served).toEqual([]);
  });

  it('goes to the legacy source at once with a rollback, and counts as nothing', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = (call) =>
      new Promise((_resolve, reject) =>
        call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)),
      );
    const asked = opened.ask();
    await Promise.resolve();
    for (const attempt of opened.attempts) attempt.end(new GenerationReplaced());
    expect(await asked).toEqual({ by: 'legacy', origin: 'legacy', fallback: undefined });
    expect(opened.served).toEqual([]);
  });

  it('no longer reaches a new source that has failed five times in this process', async () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = failing('upstream_error');
    for (let i = 0; i < 5; i += 1) await opened.ask();
    expect(await opened.ask()).toEqual({ by: 'legacy', origin: 'legacy', fallback: undefined });
  });
});

describe('a call that the cache of a source answers', () => {
  it('is answered without a promise, and is no evidence', () => {
    const opened = openOriginStage();
    opened.is({ stage: 'live' });
    opened.answers.new = () => replyOf('new', 'hit');
    const reply = opened.stage(createCall({ principal: callerOf('ana') }));
    expect(reply).not.toBeInstanceOf(Promise);
    expect(opened.served).toEqual([]);
  });
});
