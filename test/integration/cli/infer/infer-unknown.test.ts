import { type DraftReport, inferDraft, runInfer } from '../../../support/dialects/infer-draft.ts';
import { type Dialect, serve } from '../../../support/dialects/serve.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';

type Row = Readonly<Record<string, unknown>>;

const things = Array.from({ length: 64 }, (_, n) => ({
  id: 5 + 2 * n,
  titel: `Thing number ${n}`,
  beschreibung: `Text ${n}`,
  preis: n + 0.5,
  kategorie: ['Garden', 'Kitchen'][n % 2],
}));

/** A service without a known dialect, asked at `address` for products. */
async function draftOf(dialect: Dialect, address: string, ...more: readonly string[]): Promise<DraftReport> {
  const { origin } = endAfterTest(await serve(dialect, { open: true }));
  return inferDraft([origin + address, '--resource', 'products', '--name', 'shop', ...more]);
}

/** How a refused run ends, and what it says. */
async function refusalOf(dialect: Dialect, address: string, ...more: readonly string[]) {
  const { origin } = endAfterTest(await serve(dialect, { open: true }));
  return runInfer([origin + address, '--resource', 'products', '--name', 'shop', ...more]);
}

const whole =
  (rows: readonly Row[]): Dialect =>
  ({ path }) =>
    path === '/things' ? { body: rows } : { status: 404, body: { error: 'no' } };

const editsOf = ({ guesses }: DraftReport, at: string) =>
  guesses
    .filter(({ path, confidence }) => confidence === 'edit' && path.endsWith(at))
    .map(({ text }) => text);

describe('a draft of a list whose parameters have names that say nothing', () => {
  it('finds them among the numbers of the address', async () => {
    const dialect: Dialect = ({ query }) => {
      const start = Number(query.get('ab') ?? '0');
      return { body: { treffer: things.slice(start, start + Number(query.get('zeilen') ?? '20')) } };
    };
    const { draft } = await draftOf(dialect, '/suche?mandant=7&ab=0&zeilen=20');
    expect(draft).toContain("query: { mandant: '7', ab: '{offset}', zeilen: '{limit}' }");
    expect(draft).toMatch(/window: \{ kind: offset, base: 0/);
  });

  it('finds the one that takes a token, if it is given without a value', async () => {
    const dialect: Dialect = ({ query }) => {
      const start = Number((query.get('marke') ?? '').replace('m', ''));
      const weiter = start + 20 < things.length ? `m${start + 20}` : '';
      return { body: { weiter, treffer: things.slice(start, start + 20) } };
    };
    const { draft } = await draftOf(dialect, '/suche?marke=');
    expect(draft).toContain("query: { marke: '{cursor}' }");
    expect(draft).toMatch(/window: \{ kind: cursor, sizeMax: \d+, next: weiter \}/);
  });

  it('takes the size of the windows that came, if no parameter changes it', async () => {
    const dialect: Dialect = ({ query }) => {
      const at = Number(query.get('at') ?? 0);
      return {
        body: { anz: 64, next: at === 0 ? '/suche?at=40' : null, treffer: things.slice(at, at + 40) },
      };
    };
    const { draft } = await draftOf(dialect, '/suche');
    expect(draft).toMatch(/window: \{ kind: link, sizeMax: 40, /);
    expect(draft).toContain('a scan of 64 rows takes 2 calls');
  });

  it('says how to name them, if none is found and more rows are stated', async () => {
    const report = await draftOf(() => ({ body: { anz: 64, treffer: things.slice(0, 20) } }), '/suche');
    expect(editsOf(report, 'list.window')).toEqual([
      expect.stringMatching(/64 rows are stated, and 20 came: draft again .* \?page=1&size=20, or \?token= /),
    ]);
  });

  it('says which number of the reply is larger than that of its rows, whatever it is called', async () => {
    const report = await draftOf(() => ({ body: { kaikki: 64, treffer: things.slice(0, 23) } }), '/suche');
    const [edit] = editsOf(report, 'list.window');
    expect(edit).toMatch(/^23 rows came, and the reply has 64 at kaikki: if .* draft again .* \?page=1/);
  });

  it('finds the number of a page in the path', async () => {
    const dialect: Dialect = ({ path }) => {
      const page = /^\/v2\/things\/blatt\/(\d+)$/.exec(path)?.[1];
      if (page === undefined) return { status: 404, body: { error: 'no' } };
      return {
        body: { count: things.length, things: things.slice((Number(page) - 1) * 10, Number(page) * 10) },
      };
    };
    const { draft } = await draftOf(dialect, '/v2/things/blatt/1');
    expect(draft).toContain("path: '/v2/things/blatt/{page}'");
    expect(draft).toMatch(/window: \{ kind: page, base: 1, sizes: \[10\]/);
  });
});

describe('a draft of a list whose parameters bound a range of rows', () => {
  /** A list from the row `first` to the row `last`, 40 rows at most; the first row has the number `base`. */
  const ranged =
    ([first, last]: readonly [string, string], base: number, behind = 0): Dialect =>
    ({ query }) => {
      const from = Number(query.get(first) ?? base) - base;
      const to = Number(query.get(last) ?? from + base + 19 + behind) - base + 1 - behind;
      if (from < 0 || to <= from) return { body: { rc: 9, txt: 'bad range' } };
      return { body: { hits: things.length, things: things.slice(from, Math.min(to, from + 40)) } };
    };
  const fromUpto = ['from', 'upto'] as const;
  const aZ = ['a', 'z'] as const;

  it.each<[string, Dialect, string, string, number]>([
    ['to the last row', ranged(fromUpto, 1), '?from=1&upto=20', "from: '{offset}', upto: '{lastRow}'", 1],
    ['from row 0', ranged(aZ, 0), '?a=0&z=19', "a: '{offset}', z: '{lastRow}'", 0],
    ['to the row behind', ranged(aZ, 0, 1), '?a=0&z=20', "a: '{offset}', z: '{endRow}'", 0],
    ['of more rows than come at once', ranged(aZ, 1), '?a=1&z=60', "a: '{offset}', z: '{lastRow}'", 1],
  ])('finds them among the numbers of the address: %s', async (_what, dialect, query, drafted, base) => {
    const { draft, trials } = await draftOf(dialect, `/find${query}`);
    expect(draft).toContain(`query: { ${drafted} }`);
    expect(draft).toContain(`window: { kind: offset, base: ${base}, sizeMax: 40 }`);
    expect(trials[0]).toMatchObject({ status: 200, total: 64 });
  });

  it('finds them by their usual names', async () => {
    const { draft } = await draftOf(ranged(fromUpto, 1), '/find');
    expect(draft).toContain("query: { from: '{offset}', upto: '{lastRow}' }");
    expect(draft).toContain('sure: from counts rows from 1, upto is where they end');
  });
});

describe('a draft of records in a map by their ids', () => {
  it('takes the keys for the ids where the records have none', async () => {
    const entries = things.map(({ id, ...row }) => [String(id), row] as const);
    const { draft, trials } = await draftOf(
      () => ({ body: { status: 'ok', things: Object.fromEntries(entries) } }),
      '/things',
    );
    expect(draft).toContain('items: { at: things, form: map }');
    expect(draft).toContain('id: $key');
    expect(trials[0]).toMatchObject({ status: 200, total: 64 });
  });
});

describe('a draft of columns with names that say nothing', () => {
  const odd = things.map(({ id, titel, preis }) => ({
    id,
    a1: titel,
    a2: preis,
    stand: `2024-02-${String((id % 28) + 1).padStart(2, '0')}T10:00:00Z`,
  }));

  it('has the columns that a field may be in beside what is to edit, each with a masked sample', async () => {
    const report = await draftOf(whole(odd), '/things');
    expect(editsOf(report, 'map.name')).toEqual([
      'no column looks like name: give its path, or leave it null; with --map name=<path>, infer tries its filters and sorts, too (other columns for name: a1 (Aaaaa aaaaaa 9), stand (9999-99-99A99:99:99A))',
    ]);
    expect(report.draft).not.toContain('Thing number');
  });

  it('takes the columns that the operator names', async () => {
    const report = await draftOf(
      whole(odd),
      '/things',
      '--map',
      'name=a1',
      '--map',
      'price=a2',
      '--id',
      'id',
    );
    expect(report.draft).toMatch(/name: a1\n/);
    expect(editsOf(report, 'map.name')).toEqual([]);
  });

  it('refuses a column that no record has, and names those that they have', async () => {
    expect(await refusalOf(whole(odd), '/things', '--map', 'name=title')).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /no record has a value at title, which is named for name\n.*hint: the records have id, a1, a2, stand/,
      ),
    });
    expect(await refusalOf(whole(odd), '/things', '--map', 'titel=a1')).toMatchObject({
      code: 64,
      err: expect.stringContaining('fields: name, description, price, category'),
    });
  });

  it('does not take a price for the id, because another column ends like one', async () => {
    const rows = things.map(({ id, titel, preis }) => ({
      unit_price_ct: preis * 10,
      label: `L${id}`,
      goods_cd: `G-${id}`,
      titel,
    }));
    const report = await draftOf(whole(rows), '/things');
    expect(report.draft).toContain('id: goods_cd');
    expect(editsOf(report, 'products.id')).toEqual([expect.stringMatching(/; label is unique, too$/)]);
  });

  it('proposes the only column of times, whatever it is called', async () => {
    const people = odd.map(({ id, a1, stand }) => ({ id, name: a1, email: `u${id}@example.com`, stand }));
    const service = endAfterTest(await serve(whole(people), { open: true }));
    const report = await inferDraft([`${service.origin}/things`, '--resource', 'users', '--name', 'crm']);
    expect(report.draft).toContain('created_at: { from: stand, as: [iso8601] }');
    expect(editsOf(report, 'list.map.created_at')).toEqual([
      'stand is the only column of times: check that it means created_at, or write null',
    ]);
  });

  it('does not name the column of --map among the others that may hold the field', async () => {
    const people = odd.map(({ id, a1, stand }) => ({
      ...{ id, name: a1, email: `u${id}@example.com`, stand },
      joined: `0${(id % 9) + 1}.0${(id % 7) + 1}.2024 10:00`,
    }));
    const { origin } = endAfterTest(await serve(whole(people), { open: true }));
    const args = ['--resource', 'users', '--name', 'crm', '--map', 'users.created_at=joined'];
    expect(editsOf(await inferDraft([`${origin}/things`, ...args]), 'map.created_at')).toEqual([
      expect.stringMatching(/other columns for created_at: stand \([^()]*\)\)$/),
    ]);
  });
});

describe('a draft of names', () => {
  it('asks about one that is the id', async () => {
    const rows = things.map(({ id, titel }) => ({ uid: `U-${id}`, label: titel }));
    const { origin } = endAfterTest(await serve(whole(rows), { open: true }));
    const report = await inferDraft([`${origin}/things`, '--resource', 'users', '--name', 'crm']);
    expect(editsOf(report, 'list.map.name')).toEqual([
      expect.stringMatching(/^this may not be the name: it is the id .*other columns for name: label /),
    ]);
  });

  it('asks about one of few values', async () => {
    const rows = things.map((row, n) => ({ id: row.id, name: `Kind ${n % 4}`, price: row.preis }));
    expect(editsOf(await draftOf(whole(rows), '/things'), 'map.name')).toEqual([
      expect.stringMatching(/^this may not be the name: only 4 values in 64 records/),
    ]);
  });

  it('asks about one of a record within the record', async () => {
    const rows = things.map((row, n) => ({
      id: row.id,
      vendor: { id: n, name: row.titel },
      price: row.preis,
    }));
    expect(editsOf(await draftOf(whole(rows), '/things'), 'map.name')).toEqual([
      expect.stringMatching(/^this may not be the name: vendor is a record of its own, with an id/),
    ]);
  });
});

describe('what was not tried', () => {
  it('is said of filters, with the reason', async () => {
    const report = await draftOf(whole(things), '/things');
    expect(report.guesses).toContainEqual({
      path: 'resources.products.list.items',
      confidence: 'likely',
      text: 'no filter was tried: one call brings the whole list',
    });
  });
});
