import type { HttpReply } from '../../support/upstream/scripted-upstream.ts';
import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import type { StoredRecord } from '../harness/records.ts';
import { finding } from '../harness/steps.ts';
import { nativeOf } from '../harness/stages.ts';
import type { Breaks } from '../harness/start-service.ts';

const byNative = (all: readonly StoredRecord[], isIt: (native: string) => boolean) =>
  all.find(({ record }) => isIt(nativeOf(record)));

/** Replies to a question for a record that nobody has in another way. */
const missing =
  (reply: HttpReply): Breaks =>
  (correct, store) => ({
    reply: (ask, answer) =>
      ask.kind === 'one' && correct.find(ask, store.records) === undefined
        ? reply
        : correct.reply(ask, answer),
  });

const specs: readonly FaultySpec[] = [
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
    shapes: ['text id users'],
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
    what: 'record: another one, under the id that was asked for',
    breaks: (correct) => ({
      find: (ask, all) => correct.find(ask, all) ?? all[7],
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
    unseen: {
      'only after a write':
        'the view agreed with the list until somebody wrote, and nobody outside can tell which of the two is the older one',
    },
  },
];

/** Views of one record that show another, nobody, or somebody who is not there. */
export const faultyRecords = specs.flatMap(faultyServices);
