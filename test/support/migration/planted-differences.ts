import { replyOf } from '../pipeline/source-text.ts';
import {
  BIO,
  CHANGED,
  COUNT,
  type DifferingStores,
  insert,
  numbers,
  swapped,
  users,
} from './stores/differing-stores.ts';

/** A difference between two stores, and as what it is found; `null`: no such answer of v1 can have it. */
export type Planted = DifferingStores & {
  readonly kind: string;
  /**
   * `failed_new`: the new source's answer is refused, which counts as a failure of it and not as a difference; `odd`: so it
   * is, and the legacy source has no record for the question.
   */
  readonly found: Readonly<Record<'list' | 'get', readonly string[] | 'failed_new' | 'odd' | null>>;
};

/** What is found at one field of the fifth user, in the list and in the single record. */
const at = (field: string, kind: string) => ({
  list: [`data[].${field}|${kind} of user_5`],
  get: [`data.${field}|${kind} of user_5`],
});
/** What only single records show. */
const single = (field: string) => ({ list: [], get: [`data.${field}|value of user_5`] });
const equal = { list: [], get: [] };
const priced = { list: ['data[].price|value of prod_5'], get: null };

/** 24 kinds of differences, in the order of the table in which they were asked for, and variants of some. */
export const planted: readonly Planted[] = [
  { kind: 'value', change: { next: { name: 'Somebody' } }, found: at('name', 'value') },
  { kind: 'type', change: { next: { id: '#5' } }, found: equal },
  {
    ...{ kind: 'type', resource: 'products', change: { next: { amount: '#20' } } },
    found: { list: [], get: null },
  },
  { kind: 'missing', change: { next: { name: null } }, found: at('name', 'missing') },
  { kind: 'extra', change: { legacy: { name: null } }, found: at('name', 'extra') },
  {
    kind: 'null vs missing',
    change: { legacy: { about: { bio: null, town: 'BE' } }, next: { profile: { town: 'Bern' } } },
    found: equal,
  },
  { kind: 'case', change: { next: { name: 'USER 5' } }, found: at('name', 'value') },
  { kind: 'trim', change: { next: { name: 'User 5 ' } }, found: at('name', 'value') },
  {
    kind: 'NFC',
    change: { legacy: { name: 'Zoë' }, next: { name: 'Zoe\u0308' } },
    found: at('name', 'value'),
  },
  { kind: '1e-3 number', resource: 'products', change: { next: { amount: '20.001' } }, found: priced },
  {
    kind: '1 s and 1 h time',
    change: { next: { createdAt: '2020-05-01T10:00:01Z' } },
    found: at('created_at', 'value'),
  },
  {
    kind: '1 s and 1 h time',
    change: { next: { createdAt: '2020-05-01T12:00:00+01:00' } },
    found: at('created_at', 'value'),
  },
  {
    kind: '1 s and 1 h time',
    change: { next: { createdAt: '2020-05-01T10:00:00.250Z' } },
    found: at('created_at', 'value'),
  },
  { kind: '1 s and 1 h time', change: { next: { createdAt: '2020-05-01T05:00:00-05:00' } }, found: equal },
  {
    kind: '17-digit integer',
    change: { legacy: { id: '#90071992547409930' }, next: { id: '#90071992547409931' } },
    id: 'user_90071992547409930',
    found: {
      list: [
        'data[].id|missing_id of user_90071992547409930',
        'data[].id|extra_id of user_90071992547409931',
      ],
      get: ['status|status of user_90071992547409930'],
    },
  },
  {
    ...{ kind: '17-digit integer', resource: 'products', found: priced },
    change: { legacy: { price: '#90071992547409930' }, next: { amount: '#90071992547409931' } },
  },
  {
    kind: 'nested',
    change: { next: { profile: { bio: 'Another.', town: 'Bern' } } },
    found: single('profile.bio'),
  },
  {
    kind: 'list order',
    change: { nextRows: swapped(2, 6) },
    found: { list: ['data[]|order of user_3'], get: [] },
  },
  {
    kind: 'keyed item',
    change: { next: { name: 'Somebody' }, nextRows: insert(0, users.next.row(99)) },
    found: {
      list: ['meta.total|total', 'data[].id|extra_id of user_99', 'data[].name|value of user_5'],
      get: ['data.name|value of user_5'],
    },
  },
  {
    kind: 'enum',
    change: { next: { profile: { bio: BIO, town: 'Genf' } } },
    found: single('profile.location'),
  },
  {
    ...{ kind: 'enum', resource: 'products', change: { next: { kind: 'Books' } } },
    found: { list: ['data[].category|value of prod_5'], get: null },
  },
  {
    kind: 'status 200/404',
    change: { reply: (reply, { path }) => (path === '/rows/5' ? replyOf({}, { status: 404 }) : reply) },
    found: { list: [], get: ['status|status of user_5'] },
  },
  {
    kind: 'header',
    change: {
      reply: (reply) => ({ ...reply, header: (name) => (name === 'etag' ? '"x"' : reply.header(name)) }),
    },
    found: equal,
  },
  { kind: 'total +-1', change: { hits: COUNT + 1 }, found: { list: ['meta.total|total'], get: [] } },
  { kind: 'total +-1', change: { hits: COUNT - 1 }, found: { list: ['meta.total|total'], get: [] } },
  {
    kind: 'missing id',
    change: { nextRows: (rows) => rows.toSpliced(CHANGED - 1, 1) },
    found: {
      list: ['meta.total|total', 'data[].id|missing_id of user_5'],
      get: ['status|status of user_5'],
    },
  },
  {
    kind: 'extra id',
    change: { nextRows: insert(4, users.next.row(99)) },
    found: {
      list: ['meta.total|total', 'data[].id|extra_id of user_99'],
      get: [],
    },
  },
  {
    kind: 'limit clamp',
    change: {
      reply: (reply, { path }) =>
        path === '/rows' ? replyOf({ hits: COUNT, rows: numbers.slice(0, 5).map(users.next.row) }) : reply,
    },
    found: { list: 'failed_new', get: [] },
  },
  {
    ...{ kind: 'past-the-end', list: 'page=5&limit=10' },
    change: { reply: (reply, { path }) => (path === '/rows' ? replyOf({}, { status: 404 }) : reply) },
    found: { list: 'odd', get: [] },
  },
  {
    ...{ kind: 'past-the-end', list: 'page=5&limit=10' },
    change: {
      reply: (reply, { path }) =>
        path === '/rows' ? replyOf({ hits: COUNT, rows: numbers.slice(10).map(users.next.row) }) : reply,
    },
    found: { list: 'odd', get: [] },
  },
  {
    kind: 'error envelope',
    change: { reply: () => replyOf({ error: { code: 'broken' } }) },
    found: { list: 'failed_new', get: 'failed_new' },
  },
  {
    kind: 'truncation',
    change: { next: { name: 'Use', profile: { bio: 'A short text', town: 'Bern' } } },
    found: {
      list: ['data[].name|value of user_5'],
      get: ['data.name|value of user_5', 'data.profile.bio|value of user_5'],
    },
  },
];
