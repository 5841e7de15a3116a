import type { HttpReply } from '../../support/upstream/scripted-upstream.ts';
import type { Ask } from '../harness/ask.ts';
import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import type { Breaks } from '../harness/start-service.ts';
import { nativeOf } from '../harness/stages.ts';

type Graph = { readonly data: Readonly<Record<string, unknown>> | null; readonly errors?: unknown };
type Users = { readonly total: number; readonly items: readonly Readonly<Record<string, unknown>>[] };

const EXPIRED = [{ message: 'jwt expired', extensions: { code: 'UNAUTHENTICATED' } }];
const BROKEN = [{ message: 'Cannot read properties of undefined', path: ['user'] }];

const EVERYBODY = [
  'graphql users',
  'graphql users with null errors',
  'graphql users with empty errors',
] as const;
const ONE = ['graphql users'] as const;
const EMPTY = ['graphql users with empty errors'] as const;

/** Replies otherwise to questions of a kind. */
const replying =
  (kind: Ask['kind'], change: (graph: Graph) => unknown): Breaks =>
  (correct) => ({
    reply: (ask, reply): HttpReply => {
      const kept = correct.reply(ask, reply);
      return ask.kind === kind ? { ...kept, body: change(kept.body as Graph) } : kept;
    },
  });

/** The same for the page of a list. */
const listing = (errors: unknown, change: (users: Users) => unknown): Breaks =>
  replying('list', ({ data }) => ({ errors, data: { users: change(data?.['users'] as Users) } }));

const specs: readonly FaultySpec[] = [
  {
    what: 'graphql record: an expired token, with a record of null',
    breaks: replying('one', () => ({ errors: EXPIRED, data: { user: null } })),
    shapes: EVERYBODY,
    fast: ['every third time'],
    when: ['every third time', 'only after a write'],
  },
  {
    what: 'graphql record: an error behind a record of null',
    breaks: replying('one', () => ({ data: { user: null }, errors: BROKEN })),
    shapes: ONE,
    when: ['every seventh time'],
  },
  {
    what: 'graphql record: an error, and no data',
    breaks: replying('one', () => ({ errors: BROKEN })),
    shapes: EMPTY,
    when: ['every third time'],
  },
  {
    what: 'graphql record: an error, and data of null',
    breaks: replying('one', () => ({ errors: BROKEN, data: null })),
    shapes: ONE,
    when: ['only after a write'],
  },
  {
    what: 'graphql record: an error that is a text, with a record of null',
    breaks: replying('one', () => ({ errors: 'jwt expired', data: { user: null } })),
    shapes: ['graphql users with null errors'],
    when: ['every third time'],
  },
  {
    what: 'graphql record: an error that is an object, with a record of null',
    breaks: replying('one', () => ({ errors: { message: 'jwt expired' }, data: { user: null } })),
    shapes: ONE,
    when: ['every seventh time'],
  },
  {
    what: 'graphql record: an error beside half a record',
    breaks: replying('one', ({ data }) => {
      const user = data?.['user'];
      return { data: { user: user && { ...user, email: null } }, errors: BROKEN };
    }),
    shapes: EMPTY,
    when: ['every third time'],
  },
  {
    what: 'graphql record: nobody, as an error without a code',
    breaks: (correct, { records }) => ({
      reply: (ask, reply) =>
        ask.kind === 'one' && !records.some(({ record }) => nativeOf(record) === ask.id)
          ? { body: { errors: [{ message: 'no such user' }], data: { user: null } } }
          : correct.reply(ask, reply),
    }),
    shapes: ONE,
  },
  {
    what: 'graphql list: an expired token, and no list',
    breaks: listing(EXPIRED, () => null),
    shapes: ONE,
    when: ['only behind page 3'],
  },
  {
    what: 'graphql list: an expired token, and an empty list',
    breaks: listing(EXPIRED, () => ({ total: 0, items: [] })),
    shapes: EVERYBODY,
    fast: ['every seventh time'],
    when: ['every seventh time'],
  },
  {
    what: 'graphql list: an error behind half of the rows',
    breaks: replying('list', ({ data }) => {
      const { total, items } = data?.['users'] as Users;
      return { data: { users: { total, items: items.slice(0, items.length / 2) } }, errors: BROKEN };
    }),
    shapes: EMPTY,
    when: ['every third time'],
  },
  {
    what: 'graphql list: an error beside rows without their names',
    breaks: listing(BROKEN, ({ total, items }) => ({
      total,
      items: items.map((row) => ({ ...row, name: null })),
    })),
    shapes: ONE,
    when: ['only behind page 3'],
  },
  {
    what: 'graphql list: an error beside rows of null',
    breaks: listing(BROKEN, ({ total, items }) => ({
      total,
      items: items.map((row, n) => (n % 4 === 1 ? null : row)),
    })),
    shapes: ONE,
    when: ['every third time'],
  },
  {
    what: 'graphql list: rows of null, and no error',
    breaks: listing(undefined, ({ total, items }) => ({
      total,
      items: items.map((row, n) => (n % 4 === 1 ? null : row)),
    })),
    shapes: ONE,
    when: ['every third time'],
  },
];

/** Errors of a GraphQL service, in each order and beside data of all sorts. They come under status 200. */
export const faultyGraphql = specs.flatMap(faultyServices);
