import { answererOf, compileDraft } from '../../support/dialects/infer-draft.ts';
import { serve } from '../../support/dialects/serve.ts';
import { examineFile } from '../harness/examine.ts';
import type { Outcome, TableRow } from '../harness/row.ts';
import { someUsers, type SmallRow } from './small-service.ts';

/** A list in front of which stands a file that was written by hand. */
type GhostRow = {
  readonly name: string;
  /** Parts of the file that are not the usual ones, by the name of the part. */
  readonly file?: Readonly<Record<string, string>>;
  /** The body of a reply. */
  readonly body: (rows: readonly SmallRow[]) => unknown;
  readonly type?: string;
  readonly rows?: readonly SmallRow[];
  /** What the gateway must do with a page: fail, leave ghosts out, or serve every row. */
  readonly must: 'fail' | 'drop' | 'serve';
};

/** So many rows of which some are tombstones. */
const withTombstones = (stone: (n: number) => SmallRow): readonly SmallRow[] =>
  someUsers(40).map((row, n) => (n % 9 === 4 ? stone(n + 1) : row));

const STONES = withTombstones((id) => ({ id, deleted: true }));

function fileOf(origin: string, { file = {} }: GhostRow): string {
  const {
    decode = '{ format: json }',
    list = 'window: { kind: offset, base: 0, sizeMax: 100 }, total: { at: total }, order: id',
    query = "{ offset: '{offset}', limit: '{limit}' }",
    items = 'items',
    map = 'id: id, name: name, email: mail, created_at: null',
    invalid = 'fail',
  } = { ...file };
  return `source: 1
name: draft
net: { baseUrl: ${origin} }
decode: ${decode}
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    onInvalidRecord: ${invalid}
    list: { request: { path: /users, query: ${query} }, ${list}, items: ${items}, map: { ${map} } }
    get: { request: { path: '/users/{id}' }, item: '', map: { id: id, name: name, email: mail, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null } }
`;
}

type Page = { readonly data: readonly Readonly<Record<string, unknown>>[] };

/** What is wrong with an answer. */
function judge(
  { must, rows = STONES }: GhostRow,
  path: string,
  status: number,
  body: string,
): string | undefined {
  if (status >= 500) return must === 'fail' ? undefined : `GET ${path} is answered ${status} ${body}`;
  const { data } = JSON.parse(body) as Page;
  const ids = new Set(
    rows.filter((row) => Object.keys(row).length < 3).map((row) => `user_${String(row['id'])}`),
  );
  const ghosts = data.filter(({ id }) => ids.has(String(id))).length;
  if (must === 'serve' ? data.length > 0 : ghosts === 0) return undefined;
  return `GET ${path} has ${ghosts} ghosts among ${data.length} records`;
}

async function runGhosts(row: GhostRow): Promise<Outcome> {
  const started = performance.now();
  const { rows = STONES, body, type = 'application/json' } = row;
  const written = rows.map(({ email, created_at: _at, ...other }) =>
    email === undefined ? other : { ...other, mail: email },
  );
  const service = await serve(
    ({ path, query }) => {
      const id = /^\/users\/(\d+)$/.exec(path)?.[1];
      const found = written.find((one) => String(one['id']) === id);
      if (id !== undefined) return found === undefined ? { status: 404, body: {} } : { body: found };
      const first = Number(query.get('offset') ?? 0);
      const shown = query.has('limit') ? written.slice(first, first + Number(query.get('limit'))) : written;
      return { headers: { 'Content-Type': type }, body: body(shown) };
    },
    { open: true },
  );
  try {
    const text = fileOf(service.origin, row);
    const answerer = answererOf(compileDraft(text));
    const failures: string[] = [];
    const paths = ['limit=40', 'limit=20&page=2', 'limit=100', 'sort=name&limit=30', 'sort=-id&limit=25'];
    for (const path of paths.map((query) => `/v1/users?${query}`)) {
      const { status, body: answered } = await answerer.answer(`GET ${path}`);
      failures.push(...[judge(row, path, status, answered)].filter((one) => one !== undefined));
    }
    answerer.close();
    const { differs } =
      row.must === 'serve' || type !== 'application/json' ? { differs: [] } : await examineFile(text);
    const isTold = differs.length > 0;
    const isJson = row.must !== 'serve' && type === 'application/json';
    if (isJson && !isTold) failures.push(`doctor does not tell: ${differs.join('; ')}`);
    const wrong = failures.length;
    return {
      name: row.name,
      head: `${wrong} wrong`,
      failures,
      details: differs,
      figures: { asked: paths.length, wrong, isFlagged: isTold, isContradicted: false },
      seconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await service.close();
  }
}

const items = (rows: readonly SmallRow[]) => ({ total: STONES.length, items: rows });
const nested = (rows: readonly SmallRow[]) => ({
  total: STONES.length,
  items: rows.map(({ id, deleted, ...attributes }) =>
    deleted === undefined ? { id, attributes } : { id, attributes: {}, deleted },
  ),
});
const xml = (rows: readonly SmallRow[]) =>
  `<users>${rows
    .map(
      (row) =>
        `<user>${Object.entries(row)
          .map(([key, value]) => `<${key}>${String(value)}</${key}>`)
          .join('')}</user>`,
    )
    .join('')}</users>`;

const WHOLE = { list: 'window: { kind: none }', query: '{}' };
const XML = { ...WHOLE, decode: '{ format: xml, arrays: [users.user] }', items: 'users.user' };
const emptyMail = (rows: readonly SmallRow[]) =>
  rows.map((row, n) => (n === 0 ? { ...row, email: '' } : row));

const ghosts: readonly GhostRow[] = [
  { name: 'a tombstone on a page', body: items, must: 'fail' },
  { name: 'a tombstone is left out', body: items, file: { invalid: 'drop' }, must: 'drop' },
  {
    name: 'a tombstone in a whole list',
    body: (rows) => rows,
    file: { ...WHOLE, items: "''" },
    must: 'fail',
  },
  {
    name: 'a tombstone in a whole list is left out',
    body: (rows) => rows,
    file: { ...WHOLE, items: "''", invalid: 'drop' },
    must: 'drop',
  },
  {
    name: 'attributes are empty',
    body: nested,
    file: { map: 'id: id, name: attributes.name, email: attributes.mail, created_at: null' },
    must: 'fail',
  },
  {
    name: 'joined names, and an address with a fallback',
    body: items,
    file: {
      map: 'id: id, name: { from: [name, last], as: [{ join: " " }] }, email: mail | email, created_at: null',
    },
    must: 'fail',
  },
  {
    name: 'a default for what is absent',
    body: items,
    file: { map: 'id: id, name: { from: name, as: [{ default: nobody }] }, email: mail, created_at: null' },
    must: 'fail',
  },
  {
    name: 'a tombstone in XML with empty elements',
    ...{ body: xml, type: 'application/xml', rows: emptyMail(STONES), file: XML, must: 'fail' },
  },
  {
    name: 'correct: a row of nulls',
    body: items,
    must: 'serve',
    rows: withTombstones((id) => ({ id, name: null, email: null })),
  },
  {
    name: 'correct: what holds the fields is null',
    body: (rows) => ({
      total: rows.length,
      items: rows.map(({ id, deleted, ...person }) => ({
        id,
        person: deleted === undefined ? person : null,
      })),
    }),
    file: {
      list: 'window: { kind: none }',
      query: '{}',
      map: 'id: id, name: person.name, email: person.mail, created_at: null',
    },
    must: 'serve',
  },
  {
    name: 'correct: XML leaves out what is empty',
    body: xml,
    type: 'application/xml',
    file: XML,
    must: 'serve',
  },
  {
    name: 'correct: no row has the keys',
    body: items,
    file: { map: 'id: id, name: title, email: contact, created_at: null' },
    must: 'serve',
  },
  {
    name: 'correct: only the id is mapped',
    body: items,
    file: { map: 'id: id, name: null, email: null, created_at: null' },
    must: 'serve',
  },
  {
    name: 'correct: rows that are no records are dropped',
    body: items,
    file: {
      list: 'window: { kind: offset, base: 0, sizeMax: 100 }, total: { at: total }, dropWhen: [{ at: deleted, present: true }]',
    },
    must: 'serve',
  },
];

/** Lists with rows that have nothing but an id, and correct ones of the same shape. */
export const ghostRows: readonly TableRow[] = ghosts.map((row) => ({
  name: `ghost: ${row.name}`,
  run: () => runGhosts({ ...row, name: `ghost: ${row.name}` }),
}));
