import type { HttpReply } from '../../support/upstream/scripted-upstream.ts';
import { type LieSpec, liesOf } from '../harness/lie.ts';
import { drawn, type StoredRecord } from '../harness/records.ts';
import { finding, writingRows } from '../harness/steps.ts';
import { nativeOf } from '../harness/stages.ts';
import type { Breaks } from '../harness/service.ts';

const byNative = (all: readonly StoredRecord[], isIt: (native: string) => boolean) =>
  all.find(({ record }) => isIt(nativeOf(record)));

/** Replies to a question for a record that nobody has in another way. */
const missing =
  (reply: HttpReply): Breaks =>
  (honest, store) => ({
    reply: (ask, answer) =>
      ask.kind === 'one' && honest.find(ask, store.records) === undefined ? reply : honest.reply(ask, answer),
  });

/** Writes the rows of the list otherwise than the view of one record, or the other way round. */
const inKind = (
  kind: 'list' | 'one',
  change: (row: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
) => writingRows((row, ask) => (ask.kind === kind ? change(row) : row));

const specs: readonly LieSpec[] = [
  {
    what: 'record: the next one',
    breaks: finding((found, _ask, all) => found && all[(all.indexOf(found) + 1) % all.length]),
    shapes: ['offset users', 'text id users', 'hydrated products'],
    when: ['always', 'every third time', 'every seventh time'],
    fast: ['every third time'],
  },
  {
    what: 'record: always the first one',
    breaks: finding((_found, _ask, all) => all[0]),
    shapes: ['page users'],
  },
  {
    what: 'record: the first one, for an id that nobody has',
    breaks: finding((found, _ask, all) => found ?? all[0]),
    shapes: ['offset users', 'text id users'],
  },
  {
    what: 'record: the next higher id, for one that nobody has',
    breaks: finding((found, { id }, all) => found ?? byNative(all, (native) => Number(native) > Number(id))),
    shapes: ['offset users'],
  },
  {
    what: 'record: ids in any case',
    breaks: finding((_found, { id }, all) =>
      byNative(all, (native) => native.toLowerCase() === id.toLowerCase()),
    ),
    shapes: ['text id users'],
    fast: ['always'],
  },
  {
    what: 'record: blanks around an id do not count',
    breaks: finding((_found, { id }, all) => byNative(all, (native) => native === id.trim())),
    shapes: ['text id users', 'offset users'],
  },
  {
    what: 'record: the beginning of an id is enough',
    breaks: finding((_found, { id }, all) => byNative(all, (native) => native.startsWith(id))),
    shapes: ['text id users'],
  },
  {
    what: 'record: what stands behind an id does not count',
    breaks: finding((_found, { id }, all) => byNative(all, (native) => id.startsWith(native))),
    shapes: ['text id users'],
  },
  {
    what: 'record: an alias is an id',
    breaks: finding((found, { id }, all) => (id === 'me' || id === 'count' ? all[3] : found)),
    shapes: ['text id users'],
  },
  {
    what: 'record: with the id that was asked for, whoever it is',
    breaks: (honest) => ({
      find: (ask, all) => honest.find(ask, all) ?? all[7],
      row: (ask, row) =>
        ask.kind === 'one'
          ? { ...row, id: row['id'] === undefined ? ask.id : JSON.rawJSON(JSON.stringify(Number(ask.id))) }
          : row,
    }),
    shapes: ['offset users'],
  },
  {
    what: 'record: nobody, as a page of null',
    breaks: missing({ body: 'null' }),
    shapes: ['offset users'],
  },
  {
    what: 'record: nobody, as an empty object',
    breaks: missing({ body: {} }),
    shapes: ['offset users', 'text id users'],
  },
  { what: 'record: nobody, as an empty list', breaks: missing({ body: [] }), shapes: ['page users'] },
  {
    what: 'record: nobody, as an error with status 200',
    breaks: missing({ body: { error: 'not found', code: 404 } }),
    shapes: ['offset users', 'text id users'],
  },
  {
    what: 'record: nobody, as status 500',
    breaks: missing({ status: 500, body: { error: 'null pointer' } }),
    shapes: ['offset users'],
  },
  {
    what: 'record: nobody, as status 400',
    breaks: missing({ status: 400, body: { error: 'bad id' } }),
    shapes: ['text id users'],
  },
  {
    what: 'record: nobody, although it is in the list',
    breaks: finding((found, { number }) => (number % 2 === 0 ? undefined : found)),
    shapes: ['offset users', 'page users'],
    when: ['always', 'every third time', 'every seventh time'],
  },
  {
    what: 'record: nobody, for high ids',
    breaks: finding((found, { id }) => (Number(id) > 300 ? undefined : found)),
    shapes: ['offset users', 'hydrated products'],
  },
  {
    what: 'record: still there after it was deleted',
    breaks: finding(
      (found, { id }, _all, { before }) => found ?? byNative(before, (native) => native === id),
    ),
    shapes: ['offset users'],
    when: ['only after a write'],
    unseen: {
      'only after a write': 'a record by itself that no list shows may as well be one that lists hide',
    },
  },
  {
    what: 'record: kept from before a write',
    breaks: finding(
      (found, { id }, _all, { before }) => byNative(before, (native) => native === id) ?? found,
    ),
    shapes: ['offset users', 'page users'],
    when: ['only after a write'],
  },
  {
    what: 'record: another name than in the list',
    breaks: inKind('one', (row) => ({ ...row, name: `${String(row['name'])} ` })),
    shapes: ['offset users'],
    when: ['always', 'every third time'],
  },
  {
    what: 'list: names without their accents',
    breaks: inKind('list', (row) => ({
      ...row,
      name: typeof row['name'] === 'string' ? row['name'].replace(/[^ -~]/g, '?') : null,
    })),
    shapes: ['offset users', 'page users'],
  },
  {
    what: 'list: no email',
    breaks: inKind('list', (row) => ({ ...row, email: null })),
    shapes: ['offset users'],
    when: ['always', 'every third time', 'only behind page 3'],
  },
  {
    what: 'list: a name is cut to four letters',
    breaks: inKind('list', (row) => ({
      ...row,
      name: typeof row['name'] === 'string' ? row['name'].slice(0, 4) : null,
    })),
    shapes: ['page users'],
  },
  {
    what: 'list: ids of other records',
    breaks: (honest) => ({
      row: (ask, row) =>
        ask.kind === 'list'
          ? { ...row, id: drawn(Number((row['id'] as { rawJSON: string }).rawJSON), 400) }
          : honest.row(ask, row),
    }),
    shapes: ['offset users'],
  },
  {
    what: 'list: the mark of deleted rows is missing',
    breaks: writingRows(({ deleted: _mark, ...row }) => row),
    shapes: ['marked products'],
    when: ['only with a filter', 'every third time', 'only with two filters', 'only behind page 3'],
  },
  {
    what: 'list: the mark is a text',
    breaks: writingRows((row) => ({ ...row, deleted: row['deleted'] === true ? 'yes' : 'no' })),
    shapes: ['marked products'],
  },
  {
    what: 'details: none, with status 200',
    breaks: (honest) => ({
      reply: (ask, reply) =>
        ask.kind === 'one' && ask.number % 4 === 0 ? { body: { id: null } } : honest.reply(ask, reply),
    }),
    shapes: ['hydrated products'],
  },
  {
    what: 'details: without the text that there is',
    breaks: inKind('one', (row) => ({ ...row, description: null })),
    shapes: ['hydrated products'],
    when: ['every third time'],
  },
  {
    what: 'credential: without the key, nobody is there',
    breaks: (honest, store) => ({
      refuses: () => false,
      select: (ask, all) => (ask.number % 5 === 0 ? [] : honest.select(ask, all)),
      reply: (ask, reply) => (store.writes > 0 ? reply : honest.reply(ask, reply)),
    }),
    shapes: ['keyed users'],
  },
  {
    what: 'credential: refused as an error with status 200',
    breaks: (honest) => ({
      refuses: () => false,
      reply: (ask, reply) =>
        ask.number % 4 === 0 ? { body: { error: 'expired', items: [] } } : honest.reply(ask, reply),
    }),
    shapes: ['keyed users'],
  },
  {
    what: 'credential: refused as not found',
    breaks: (honest) => ({
      refuses: () => false,
      reply: (ask, reply) =>
        ask.number % 4 === 0 ? { status: 404, body: { error: 'key' } } : honest.reply(ask, reply),
    }),
    shapes: ['keyed users'],
  },
];

/** Views of one record that show another, nobody, or somebody who is not there; details; credentials. */
export const recordLies = specs.flatMap(liesOf);
