import { parse } from 'yaml';
import { inferDraft, runInfer } from '../../../support/dialects/infer-draft.ts';
import { type Dialect, serve, TOKEN } from '../../../support/dialects/serve.ts';
import type { UpstreamRequest } from '../../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';

const people = Array.from({ length: 64 }, (_, index) => ({
  person_id: 3 * index + 1,
  full_name: index % 7 === 0 ? null : `Ada ${index}`,
  mail: index % 9 === 0 ? 'null' : `u${index}@example.com`,
  joined: `2020-05-${String((index % 28) + 1).padStart(2, '0')}T00:00:00Z`,
}));

const credential = ['--header', `Authorization: Bearer ${TOKEN}`];

/** A list by offsets at `/members/`, records at `/members/7/` only. */
const slashed: Dialect = ({ path, query }) => {
  const id = /^\/members\/(\d+)\/$/.exec(path)?.[1];
  const found = people.find(({ person_id }) => String(person_id) === id);
  if (found !== undefined) return { body: found };
  if (path !== '/members/') return { status: 404, body: { detail: 'Not found.' } };
  const offset = Number(query.get('offset') ?? '0');
  const limit = Math.min(Number(query.get('limit') ?? '20'), 40);
  return { body: { count: people.length, results: people.slice(offset, offset + limit) } };
};

/** The same without the names of the columns. */
const unnamed: Dialect = (request) => {
  const { body, ...reply } = tabular(request);
  return { ...reply, body: { ...body, columns: undefined } };
};

/** Tables and rows as lists of values, or as objects where that is asked for; `next` is a token. */
const tabular = ({ path, query }: UpstreamRequest) => {
  const shown = (rows: typeof people) =>
    query.get('_shape') === 'objects' ? rows : rows.map((row) => Object.values(row));
  const columns = Object.keys(people[0]!);
  const id = /^\/shop\/people\/(\d+)\.json$/.exec(path)?.[1];
  if (id !== undefined) {
    const rows = people.filter(({ person_id }) => String(person_id) === id);
    return rows.length === 0
      ? { status: 404, body: { ok: false, error: 'Record not found' } }
      : { body: { table: 'people', rows: shown(rows), columns } };
  }
  if (path !== '/shop/people.json') return { status: 400, body: { ok: false, error: 'no such table' } };
  const after = Number(query.get('_next') ?? '0');
  const size = Number(query.get('_size') ?? '20');
  const behind = people.filter(({ person_id }) => person_id > after);
  const rows = behind.slice(0, size);
  const next = behind.length > size ? String(rows.at(-1)!.person_id) : null;
  const facets = [{ name: 'mail', toggle: '/shop/people.json?_facet=mail' }];
  return {
    body: { rows: shown(rows), columns, filtered_table_rows_count: people.length, facets, next },
  };
};

async function draftOf(dialect: Dialect, path: string, more: readonly string[] = []): Promise<string> {
  const { origin } = endAfterTest(await serve(dialect));
  const args = [origin + path, '--resource', 'users', '--name', 'crm', ...credential];
  return (await inferDraft([...args, ...more])).draft;
}

describe('a draft of the view of one record', () => {
  it('finds it behind a slash where the list has one', async () => {
    expect(await draftOf(slashed, '/members/')).toContain("request: { path: '/members/{id}/' }");
  });

  it('finds it before a suffix, in the form that the list was asked for', async () => {
    const draft = await draftOf(tabular, '/shop/people.json?_shape=objects');
    expect(draft).toContain("request: { path: '/shop/people/{id}.json', query: { _shape: objects } }");
    expect(draft).toContain('item: rows[0]');
  });

  it('takes the id out of an address that is named with a suffix', async () => {
    const one = ['--one', '/shop/people/4.json?_shape=objects'];
    const draft = await draftOf(tabular, '/shop/people.json?_shape=objects', one);
    expect(draft).toContain("request: { path: '/shop/people/{id}.json', query: { _shape: objects } }");
  });
});

describe('a draft of a list', () => {
  it('finds a number of rows whose name says what it counts', async () => {
    expect(await draftOf(tabular, '/shop/people.json?_shape=objects')).toContain(
      'total: { at: filtered_table_rows_count }',
    );
  });

  it('says that a word is ignored', async () => {
    expect(await draftOf(slashed, '/members/')).toContain('# likely: what is written "null" becomes null');
  });

  it('takes the names of the columns from where they stand apart, also for one record', async () => {
    const draft = await draftOf(tabular, '/shop/people.json');
    const table = '{ at: rows, form: table, columns: columns }';
    expect(draft).toContain(`items: ${table}`);
    expect(draft).toContain(`item: ${table}`);
    expect(draft).toContain('email: { from: mail');
  });

  it('is refused where more rows are lists of values than the rows it would take', async () => {
    const service = endAfterTest(await serve(unnamed));
    const address = `${service.origin}/shop/people.json`;
    const run = await runInfer([address, '--resource', 'users', '--name', 'crm', ...credential]);
    const explained = run.err.includes('the records at rows are lists of values');
    expect({ code: run.code, explained }).toEqual({ code: 1, explained: true });
    expect(run.err).toContain("items: { at: 'rows', form: table, columns: … }");
  });
});

describe('a draft of the view of one record whose id stands only in its own link', () => {
  /** A list at `/people`, each record known by its link alone, and the records where the links lead. */
  const linkedAt =
    (
      place: (href: string) => object,
      prefix: (origin: string) => string,
      wrap: (one: object) => object,
    ): Dialect =>
    ({ path, query, origin }) => {
      const at = prefix(origin);
      const row = ({ person_id, full_name, mail, joined }: (typeof people)[number], index: number) => ({
        ...{ name: full_name ?? `N ${index}`, email: mail, created: joined },
        ...place(`${at}/p${person_id}x`),
      });
      const rows = people.map(row);
      const index = people.findIndex(({ person_id }) => `${at}/p${person_id}x`.endsWith(path));
      if (path !== '/people' && index >= 0) return { body: wrap(rows[index]!) };
      if (path !== '/people') return { status: 404, body: { message: 'none' } };
      const offset = Number(query.get('offset') ?? '0');
      const limit = Math.min(Number(query.get('limit') ?? '20'), 40);
      return { body: { total: people.length, rows: rows.slice(offset, offset + limit) } };
    };

  it.each<[string, Dialect, string, string]>([
    [
      'in HAL',
      linkedAt(
        (href) => ({ _links: { self: { href } } }),
        () => '/people',
        (one) => one,
      ),
      '/people/{id}',
      '',
    ],
    [
      'by an absolute one',
      linkedAt(
        (self) => ({ links: { self } }),
        (origin) => `${origin}/people`,
        (one) => one,
      ),
      '/people/{id}',
      '',
    ],
    [
      'beside the list',
      linkedAt(
        (href) => ({ href }),
        () => '/person/by-id',
        (one) => one,
      ),
      '/person/by-id/{id}',
      '',
    ],
    [
      'in an envelope',
      linkedAt(
        (url) => ({ url }),
        () => '/people',
        (data) => ({ data }),
      ),
      '/people/{id}',
      'data',
    ],
  ])('is found %s', async (_how, dialect, path, item) => {
    const draft = await draftOf(dialect, '/people');
    expect(draft).not.toContain('no view of one record was found');
    const { get } = (
      parse(draft) as { resources: { users: { get: { request: { path: string }; item: string } } } }
    ).resources.users;
    expect([get.request.path, get.item]).toEqual([path, item]);
  });
});
