import { draftOf as draftFor, listing, type Row } from './listing.ts';
import { compileDraft, runInfer } from '../../../support/dialects/infer-draft.ts';
import { type Dialect, notFound, serve, whole } from '../../../support/dialects/serve.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';

const users: readonly Row[] = Array.from({ length: 60 }, (_, n) => ({
  id: n + 1,
  name: `Zoe ${n}`,
  email: `u${n}@example.com`,
  created: '2020-05-01T00:00:00Z',
}));

const draftOf = (dialect: Dialect, ...more: readonly string[]) => draftFor(dialect, 'users', ...more);

/** A list by offsets, and its single records. */
const offsets = (rows: readonly Row[], total = true): Dialect =>
  listing(
    rows,
    (all) => all,
    (items, found) => ({ body: { items, ...(total && { total: found }) } }),
  );

describe('infer asks the operator', () => {
  it('about a list of just as many rows as its request asks for', async () => {
    const { edits } = await draftOf(
      ({ path }) => (path === '/list' ? { body: { items: users.slice(0, 25), count: 25 } } : notFound),
      '/list?howmany=25',
    );
    expect(edits.join('\n')).toMatch(/list\.window: .*just as many as the constant howmany asks for/);
  });

  it('about a key of the reply that may name more rows', async () => {
    const { edits } = await draftOf(({ path }) =>
      path === '/list'
        ? { body: { items: users.slice(0, 25), continue: { a: 'x1', continue: '||x' } } }
        : notFound,
    );
    expect(edits.join('\n')).toMatch(/list\.window: .*its key continue says that there is more/);
  });

  it('about rows that have none of the mapped fields, with the condition that leaves them out', async () => {
    const { edits } = await draftOf(
      offsets([...users.slice(0, 30), { id: 'design', views: {} }, ...users.slice(30)]),
    );
    expect(edits.join('\n')).toContain('dropWhen: [{ at: name, present: false }]');
  });

  it('about such rows also where the name of a column holds the divider of alternatives', async () => {
    const named = users.map(({ name, ...others }) => ({ ...others, 'Full | name': name }));
    const { edits } = await draftOf(offsets([{ id: 'design', views: {} }, ...named]));
    expect(edits.join('\n')).toContain(`dropWhen: [{ at: '"Full | name"', present: false }]`);
  });

  it('about the first index where a hidden row makes it look like another', async () => {
    const hiding: Dialect = ({ path, query }) => {
      if (path !== '/list') return notFound;
      const offset = whole(query, 'offset', 0);
      const window = users.slice(offset, offset + whole(query, 'limit', 20));
      return { body: { items: window.filter(({ id }) => id !== 1) } };
    };
    const { edits, spec } = await draftOf(hiding);
    const { window } = spec.resources['users']!.list;
    expect('base' in window && window.base === 1 ? edits.join('\n') : 'may hide some').toContain(
      'may hide some',
    );
  });

  it('about texts that are other in the list than in the single view, and offers hydrate: get', async () => {
    const named = users.map((row) => ({ ...row, name: `Zoë ${String(row['id'])}` }));
    const lying: Dialect = (asked) => {
      const reply = offsets(named)(asked);
      const headers = { 'Content-Type': 'application/json; charset=iso-8859-1' };
      return asked.path === '/list'
        ? { ...reply, headers, body: Buffer.from(JSON.stringify(reply.body)) }
        : reply;
    };
    const { edits } = await draftOf(lying);
    expect(edits.join('\n')).toContain('hydrate: get');
  });

  it('about a budget that no scan of the list fits into, with the numbers that were seen', async () => {
    const endless: Dialect = ({ path, query }) => {
      const page = whole(query, 'page', 1);
      const ids = [page * 2, page * 2 + 1].map((n) => (n * 7919) % 1_000_003);
      return path === '/list' ? { body: ids.map((id) => ({ ...users[0], id })) } : notFound;
    };
    const { edits, report } = await draftOf(endless);
    expect(edits.filter((edit) => edit.startsWith('budget: ')).join('\n')).toMatch(
      /scan_limit_exceeded.*rows: \d+/s,
    );
    expect(report.trials.some(({ status }) => status === 503)).toBe(true);
  }, 60_000);
});

describe('an unknown id', () => {
  /** A single view that has nothing under `data.user` for an id that nobody has. */
  const enveloped: Dialect = (asked) => {
    const id = /^\/list\/([^/]+)$/.exec(asked.path)?.[1];
    if (id === undefined) return offsets(users)(asked);
    const user = users.find((one) => String(one['id']) === id) ?? null;
    return { body: { data: { user } } };
  };

  it('is told from an error that comes without a record, too', async () => {
    const { spec } = await draftOf(enveloped);
    const rules = spec.outcomes.map(({ at, is, present }) => ({ at, is, present }));
    const absent = rules.findIndex(({ present, is }) => present === false && is === 'not_found');
    const error = rules.findIndex(({ at, is }) => at === 'errors' && is === 'error');
    expect({ isThere: absent >= 0, errorsFirst: error >= 0 && error < absent }).toEqual({
      isThere: true,
      errorsFirst: true,
    });
  });
});

describe('infer ends', () => {
  it('with what doctor says of the draft and what each kind of query costs', async () => {
    const running = endAfterTest(await serve(offsets(users), { open: true }));
    const { err, code } = await runInfer([
      `${running.origin}/list`,
      '--resource',
      'users',
      '--name',
      'draft',
    ]);
    expect(code).toBe(0);
    expect(err).toMatch(/Doctor: 0 differences, \d+ agree/);
    expect(err).toContain('What queries cost:');
    expect(err.split('\n').length).toBeLessThan(40);
  });

  it('with no difference that doctor finds a minute later and the draft does not name', async () => {
    const shuffled: Dialect = ({ path, query }) => {
      // The total counts a row that no window has.
      const reply = offsets(users, false)({ path, query } as never);
      return path === '/list' ? { body: { ...(reply.body as object), total: users.length + 1 } } : reply;
    };
    const { report } = await draftOf(shuffled);
    const differing = (report as unknown as { doctor: { path: string; verdict: string }[] }).doctor.filter(
      ({ verdict }) => verdict === 'differs',
    );
    const named = new Set(
      report.guesses.filter(({ confidence }) => confidence === 'edit').map(({ path }) => path),
    );
    expect(differing.filter(({ path }) => !named.has(path))).toEqual([]);
    // Whether rows are missing or the number counts something else, only the operator can tell.
    expect([...named]).toContain('resources.users.list.total');
    expect(compileDraft(report.draft).source.spec.resources['users']!.list.total).toBeDefined();
  });
});
