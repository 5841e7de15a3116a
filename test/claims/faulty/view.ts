import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import { drawn } from '../harness/records.ts';
import { writingRows } from '../harness/steps.ts';
import { nativeOf } from '../harness/stages.ts';

/** The id of a row that a list shows as something else. */
const NO_RECORD = 'k0007-y';

/** Writes the rows of the list otherwise than the view of one record, or the other way round. */
const inKind = (
  kind: 'list' | 'one',
  change: (row: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
) => writingRows((row, ask) => (ask.kind === kind ? change(row) : row));

const specs: readonly FaultySpec[] = [
  {
    what: 'record: another name than in the list',
    inValues: true,
    breaks: inKind('one', (row) => ({
      ...row,
      name: typeof row['name'] === 'string' ? `${row['name']} ` : null,
    })),
    shapes: ['offset users'],
    when: ['always', 'every third time'],
  },
  {
    what: 'list: names without their accents',
    inValues: true,
    breaks: inKind('list', (row) => ({
      ...row,
      name: typeof row['name'] === 'string' ? row['name'].replace(/[^ -~]/g, '?') : null,
    })),
    shapes: ['offset users', 'page users'],
  },
  {
    what: 'list: no email',
    inValues: true,
    breaks: inKind('list', (row) => ({ ...row, email: null })),
    shapes: ['offset users'],
    when: ['always', 'every third time', 'only behind page 3'],
  },
  {
    what: 'list: a name is cut to four letters',
    inValues: true,
    breaks: inKind('list', (row) => ({
      ...row,
      name: typeof row['name'] === 'string' ? row['name'].slice(0, 4) : null,
    })),
    shapes: ['page users'],
  },
  {
    what: 'list: ids of other records',
    inValues: true,
    breaks: (correct) => ({
      row: (ask, row) =>
        ask.kind === 'list'
          ? { ...row, id: drawn(Number((row['id'] as { rawJSON: string }).rawJSON), 400) }
          : correct.row(ask, row),
    }),
    shapes: ['offset users'],
  },
  {
    what: 'list: a row that is no record',
    inValues: true,
    breaks: writingRows((row, ask) =>
      ask.kind === 'list' && row['id'] === NO_RECORD
        ? { id: '_design/by-name', language: 'javascript' }
        : row,
    ),
    shapes: ['text id products', 'text id users'],
  },
  {
    what: 'list: ids of another kind',
    breaks: (correct, { before }) => {
      const old = new Set(before.map(({ record }) => nativeOf(record)));
      return {
        row: (ask, row) => {
          const { rawJSON } = row['id'] as { rawJSON: string };
          return old.has(rawJSON) ? row : { ...correct.row(ask, row), id: `x-${rawJSON}` };
        },
      };
    },
    shapes: ['offset users', 'page products'],
    when: ['only after a write'],
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
    unseen: {
      always: 'the file says which mark makes a row no record; that another one does is for the owner to say',
    },
  },
  {
    what: 'details: none, with status 200',
    breaks: (correct) => ({
      reply: (ask, reply) =>
        ask.kind === 'one' && ask.number % 4 === 0 ? { body: { id: null } } : correct.reply(ask, reply),
    }),
    shapes: ['hydrated products'],
  },
  {
    what: 'details: without the text that there is',
    breaks: inKind('one', (row) => ({ ...row, description: null })),
    shapes: ['hydrated products'],
    when: ['every third time'],
    fast: ['every third time'],
  },
  {
    what: 'credential: without the key, nobody is there',
    breaks: (correct, store) => ({
      refuses: () => false,
      select: (ask, all) => (ask.number % 5 === 0 ? [] : correct.select(ask, all)),
      reply: (ask, reply) => (store.writes > 0 ? reply : correct.reply(ask, reply)),
    }),
    shapes: ['keyed users'],
  },
  {
    what: 'credential: refused as an error with status 200',
    breaks: (correct) => ({
      refuses: () => false,
      reply: (ask, reply) =>
        ask.number % 4 === 0 ? { body: { error: 'expired', items: [] } } : correct.reply(ask, reply),
    }),
    shapes: ['keyed users'],
  },
  {
    what: 'credential: refused as not found',
    breaks: (correct) => ({
      refuses: () => false,
      reply: (ask, reply) =>
        ask.number % 4 === 0 ? { status: 404, body: { error: 'key' } } : correct.reply(ask, reply),
    }),
    shapes: ['keyed users'],
  },
];

/** Rows that a list and the view of one record show differently, or that are no records; refused credentials. */
export const faultyViews = specs.flatMap(faultyServices);
