import { resources } from '../../../src/contract/resources.ts';
import type { GetQuery, ListQuery } from '../../../src/contract/query.ts';
import { compareAnswers } from '../../../src/migration/compare/compare-answers.ts';
import { openSource, type Serve } from '../../support/pipeline/scripted-source.ts';
import { queryOf, replyOf } from '../../support/pipeline/source-text.ts';

type Row = Readonly<Record<string, unknown>>;

/** Two services with the same users: the new one names and writes everything in another way. */
const LEGACY_TEXT = `
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: hits }
      items: rows
      order: source
      map: { id: id, name: name, email: mail, created_at: { from: since, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: one
      map: { id: id, name: name, email: mail, created_at: { from: since, as: [iso8601] }, profile.bio: about.bio, profile.location: null, profile.avatar_url: null }
`;
const NEW_TEXT = LEGACY_TEXT.replaceAll('email: mail', 'email: contact.email')
  .replaceAll('from: since', 'from: createdAt')
  .replaceAll('about.bio', 'profile.bio');

const legacyRow = (number: number): Row => ({
  ...{ id: number, name: `User ${number}`, mail: `u${number}@example.com` },
  ...{ since: '2020-05-01T10:00:00Z', about: { bio: 'A short text of some words.' } },
});
const newRow = (number: number): Row => ({
  ...{ id: `${number}`, name: `User ${number}`, contact: { email: `u${number}@example.com` } },
  ...{ createdAt: '2020-05-01T12:00:00+02:00', profile: { bio: 'A short text of some words.' } },
});

const rowsOf = (row: (number: number) => Row, count = 20) =>
  Array.from({ length: count }, (_, index) => row(index + 1));

function serve(rows: readonly Row[], hits = rows.length): Serve {
  return ({ path, parameters }) => {
    const from = Number(parameters['from'] ?? 0);
    if (path === '/users') return replyOf({ hits, rows: rows.slice(from, from + Number(parameters['n'])) });
    const one = rows.find(({ id }) => path === `/users/${String(id)}`);
    return one === undefined ? replyOf({}, { status: 404 }) : replyOf({ one });
  };
}

/** What comparing finds where the new service has these rows, as `path|kind`, by the operation that shows it. */
async function found(rows: readonly Row[], hits?: number) {
  const [legacy, next] = [
    openSource('users', LEGACY_TEXT, serve(rowsOf(legacyRow))),
    openSource('users', NEW_TEXT, serve(rows, hits)),
  ];
  const compare = async (query: ListQuery | GetQuery) => {
    const answers = [await legacy.fill(query), await next.fill(query)] as const;
    return compareAnswers(resources.users, query, ...answers).map(
      ({ path, kind, id }) => `${path}|${kind}${id === undefined ? '' : ` of ${id}`}`,
    );
  };
  return {
    list: await compare(queryOf('users', 'page=1&limit=10')),
    get: await compare({ kind: 'get', resource: 'users', id: 'user_5' }),
  };
}

/** The new rows with some of the fifth changed. */
const changed = (change: Row) =>
  rowsOf(newRow).map((row) => (row['id'] === '5' ? { ...row, ...change } : row));

/** What is found at one field of the fifth user, in the list and in the single record. */
const at = (field: string, kind: string) => ({
  list: [`data[].${field}|${kind} of user_5`],
  get: [`data.${field}|${kind} of user_5`],
});

const swap = (rows: readonly Row[], a: number, b: number) =>
  rows.map((row, index) => rows[index === a ? b : index === b ? a : index]!);

describe('a difference between two stores that v1 records show', () => {
  const equal = { list: [], get: [] };
  const planted: readonly [string, readonly Row[], Awaited<ReturnType<typeof found>>][] = [
    ['another value', changed({ name: 'Somebody' }), at('name', 'value')],
    ['a value that is missing', changed({ name: null }), at('name', 'missing')],
    ['another case', changed({ name: 'USER 5' }), at('name', 'value')],
    ['a blank at the end', changed({ name: 'User 5 ' }), at('name', 'value')],
    ['another Unicode form', changed({ name: 'Use\u0301r 5' }), at('name', 'value')],
    ['a second', changed({ createdAt: '2020-05-01T10:00:01Z' }), at('created_at', 'value')],
    [
      'an hour of a time zone',
      changed({ createdAt: '2020-05-01T12:00:00+01:00' }),
      at('created_at', 'value'),
    ],
    ['milliseconds', changed({ createdAt: '2020-05-01T10:00:00.250Z' }), at('created_at', 'value')],
    [
      'a nested value that is cut off',
      changed({ profile: { bio: 'A short text' } }),
      { list: [], get: ['data.profile.bio|value of user_5'] },
    ],
    [
      'a record that is missing',
      rowsOf(newRow).filter(({ id }) => id !== '5'),
      {
        list: ['meta.total|total', 'data[].id|missing_id of user_5', 'data[].id|boundary of user_11'],
        get: ['status|status of user_5'],
      },
    ],
    [
      'a record too many',
      rowsOf(newRow).toSpliced(4, 0, newRow(99)),
      {
        list: ['meta.total|total', 'data[].id|boundary of user_10', 'data[].id|extra_id of user_99'],
        get: [],
      },
    ],
    ['an order of its own', swap(rowsOf(newRow), 2, 6), { list: ['data[]|order of user_3'], get: [] }],
  ];
  it.each(planted)('is found under its path and kind: %s', async (_name, rows, expected) => {
    expect(await found(rows)).toEqual(expected);
  });

  it('is found under its path and kind: a total of one more', async () => {
    expect(await found(rowsOf(newRow), 21)).toEqual({ list: ['meta.total|total'], get: [] });
  });

  it.each([
    ['nothing at all', rowsOf(newRow)],
    ['an id that is a text there and a number here', changed({ id: '5' })],
    [
      'a field that is null here and absent there',
      changed({ profile: { bio: 'A short text of some words.', x: null } }),
    ],
    ['another offset of the same instant', changed({ createdAt: '2020-05-01T05:00:00-05:00' })],
    ['more fields than the contract has', changed({ internal: { secret: true } })],
  ])('is none where normalisation removes it: %s', async (_name, rows) => {
    expect(await found(rows)).toEqual(equal);
  });
});
