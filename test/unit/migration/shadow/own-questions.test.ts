import type { Query } from '../../../../src/contract/query.ts';
import { resources } from '../../../support/reference.ts';
import { fault } from '../../../../src/kernel/errors/fault.ts';
import { createOwnQuestions } from '../../../../src/migration/shadow/own-questions.ts';
import type { SourceAnswer, SourceHandler } from '../../../../src/pipeline/stages/call.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const found = (body: object): SourceAnswer => ({
  ...{ found: true, body: Buffer.from(JSON.stringify(body)), storedAt: 0, freshSeconds: 1, tags: [] },
});
const failing = () => Promise.reject(fault('upstream_error'));
const textOf = (query: Query) => (query.kind === 'get' ? query.id : `${query.page}x${query.limit}`);

/** A source with so many users. */
const having =
  (users: number): SourceHandler =>
  ({ query }) => {
    if (query.kind === 'get') return Promise.resolve(found({ data: { id: query.id } }));
    const from = (query.page - 1) * query.limit;
    const length = Math.max(0, Math.min(query.limit, users - from));
    const data = Array.from({ length }, (_, index) => ({ id: `user_${from + index + 1}` }));
    return Promise.resolve(found({ data, meta: { total: users } }));
  };

function open({
  legacy = having(1_000),
  next = having(1_000),
}: { legacy?: SourceHandler; next?: SourceHandler } = {}) {
  const clock = createManualClock();
  const asked: Record<'legacy' | 'new', string[]> = { legacy: [], new: [] };
  const noted =
    (origin: 'legacy' | 'new', source: SourceHandler): SourceHandler =>
    (call) => {
      expect(call.priority).toBe('shadow');
      asked[origin].push(textOf(call.query));
      return source(call);
    };
  const own = createOwnQuestions({
    ...{ resource: resources.users, clock, timeLimitMs: 5_000, random: () => 0.5 },
    sources: { legacy: noted('legacy', legacy), new: noted('new', next) },
  });
  const ask = (kind: 'get' | 'list', ...shapes: string[]) => own.ask(`users.${kind}`, new Set(shapes));
  return { own, ask, asked, clock };
}

const getOf = (id: string): Query => ({ kind: 'get', resource: 'users', id });
const listOf = (page: number, field?: string): Query => ({
  ...{ kind: 'list', resource: 'users', page, limit: 20, filters: [] },
  sort: field === undefined ? null : { field, descending: false },
});

describe("Portico's own questions", () => {
  it('are five ids of a page that the legacy source lists, or five pages', async () => {
    const { ask, asked } = open();
    expect(await ask('get')).toEqual({ asked: 5, failed: 0 });
    expect(asked.new).toEqual(['user_41', 'user_42', 'user_43', 'user_44', 'user_45']);
    expect(await ask('list')).toEqual({ asked: 5, failed: 0 });
    expect(asked.new.slice(5)).toEqual(['1x20', '2x20', '3x20', '4x20', '5x20']);
  });

  it('are five of a short list, too', async () => {
    const { ask } = open({ legacy: having(7), next: failing });
    expect(await ask('get')).toEqual({ asked: 5, failed: 5 });
    expect(await ask('list')).toEqual({ asked: 5, failed: 5 });
  });

  it('find that the new source fails at one operation alone', async () => {
    const { ask } = open({ next: (call) => (call.query.kind === 'get' ? failing() : having(1_000)(call)) });
    expect([await ask('get'), await ask('list')]).toEqual([
      { asked: 5, failed: 5 },
      { asked: 5, failed: 0 },
    ]);
  });

  it('first are what both sources have answered in the last minute, of the shapes that have failed', async () => {
    const { own, ask, asked, clock } = open();
    own.answered('users.list', listOf(900));
    clock.advance(60_001);
    for (let page = 10; page < 20; page += 1) own.answered('users.list', listOf(page));
    own.answered('users.list', listOf(1, 'name'));
    own.answered('users.list', listOf(2, 'name'));
    own.answered('users.get', getOf('user_7'));
    await ask('list', 'users.list sort', 'users.list page sort');
    expect(asked.new.slice(0, 2)).toEqual(['1x20', '2x20']);
    expect(asked.new).toHaveLength(5);
    expect(asked.new).not.toContain('900x20');
    expect(asked.legacy).toHaveLength(5);
  });

  it('say nothing where the legacy source has no record, fails as well, or the new one lets callers go first', async () => {
    const odd = open({ next: failing });
    odd.own.answered('users.get', getOf('user_1'));
    const empty = open({ legacy: () => Promise.resolve({ found: false, tags: [] }), next: failing });
    const both = open({ legacy: failing, next: failing });
    for (const { own, ask } of [empty, both]) {
      own.answered('users.get', getOf('user_1'));
      expect(await ask('get')).toEqual({ asked: 0, failed: 0 });
    }
    expect(await odd.ask('get')).toEqual({ asked: 5, failed: 5 });
  });

  it('add up over a minute, so that a source is found that fails now and then', async () => {
    let calls = 0;
    const { own, ask, clock } = open({
      next: (call) => ((calls += 1) % 5 === 0 ? failing() : having(1_000)(call)),
    });
    const note = (...ids: number[]) => {
      for (const id of ids) own.answered('users.get', getOf(`user_${id}`));
    };
    note(0, 1, 2, 3, 4);
    expect(await ask('get')).toEqual({ asked: 5, failed: 1 });
    clock.advance(30_000);
    note(10, 11, 12, 13, 14, 0, 1, 2, 3, 4);
    expect(await ask('get')).toEqual({ asked: 10, failed: 2 });
    clock.advance(30_001);
    expect(await ask('get')).toEqual({ asked: 5, failed: 1 });
  });

  it('do not hold the judge up where a source hangs: the next call has the answers', async () => {
    let answer: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const { own, ask, asked } = open({ next: (call) => held.then(() => having(1_000)(call)) });
    expect(await ask('get')).toBeUndefined();
    answer?.();
    expect(await ask('get')).toEqual({ asked: 5, failed: 0 });
    expect(asked.new).toHaveLength(5);
    await own.close();
  });

  it('end with the gateway', async () => {
    const hanging: SourceHandler = ({ signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    const { own, ask, asked } = open({ next: hanging });
    const answers = ask('get');
    while (asked.new.length < 5) await new Promise(setImmediate);
    await own.close();
    expect(await answers).toEqual({ asked: 0, failed: 0 });
  });
});
