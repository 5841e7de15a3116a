import type { StoredRecord } from '../harness/records.ts';
import type { TableRow } from '../harness/row.ts';
import type { ShapeName } from '../harness/traits.ts';
import { type BetCase, betRow, unbetDraftRow } from './bet-row.ts';
import {
  heap,
  movedBlocks,
  reusedSlot,
  rewritten,
  shuffledEnd,
  synchronizedScans,
} from './physical-orders.ts';

type Rows = readonly StoredRecord[];

const renamed = (row: StoredRecord, name: string): StoredRecord => ({
  ...row,
  record: { ...row.record, name },
});

/** Some of the first rows change. */
const updateFirst = (rows: Rows): Rows =>
  rows.map((row, at) => (at === 2 || at === 7 ? renamed(row, 'Changed') : row));

/** A row near the end goes, and one with a higher id comes. */
const replaceLate = (rows: Rows): Rows => {
  const [last] = rows.slice(-1);
  const id = last!.record.id.replace(/\d+$/, (digits) => String(Number(digits) + 3));
  return [...rows.toSpliced(110, 1), { ...last!, record: { ...last!.record, id } }];
};

/** Rows change, come, and go, at other places each time. */
const writeAnywhere = (rows: Rows, times: number): Rows => {
  const changed = rows.map((row, at) => (at % 9 === times ? renamed(row, `Changed ${times}`) : row));
  return changed.toSpliced((times * 31) % rows.length, times % 3).toSpliced(60, times % 2);
};

/** One row goes and another comes back: the total is the same, and all rows between them move by one place. */
const exchange = (rows: Rows, times: number): Rows => rows.toSpliced((times * 37) % rows.length, 1);

const first = [
  [50, 1],
  [7, 1],
  [20, 2],
] as const;
const aligned = [
  [25, 1],
  [25, 2],
] as const;

const lost = (shape: ShapeName, name: string, one: Omit<BetCase, 'shape' | 'name'>): BetCase => ({
  name,
  shape,
  ...one,
});

const updated = { breaks: heap, write: updateFirst, pages: first, looks: 1 };
const betShapes = [
  'offset products',
  'page products',
  'counted products',
  'echoing products',
  'text id products',
  'missing end products',
  'last end products',
  'unfiltered products',
] as const;

/** Services that keep no order, though their ids ascend at first. */
const lostBets: readonly BetCase[] = [
  ...betShapes.map((shape) => lost(shape, 'a changed row moves to the end', updated)),
  ...(['offset products', 'page products'] as const).flatMap((shape) => [
    lost(shape, 'a new row takes the place of a deleted one', {
      breaks: reusedSlot,
      write: replaceLate,
      pages: [
        [5, 26],
        [10, 1],
      ],
      looks: 1,
    }),
    lost(shape, 'the table is rewritten in another order', {
      breaks: rewritten,
      write: updateFirst,
      pages: aligned,
      looks: 1,
    }),
    lost(shape, 'blocks of rows change places', {
      breaks: movedBlocks,
      write: updateFirst,
      pages: aligned,
      looks: 1,
    }),
    lost(shape, 'each call begins at another row', {
      breaks: synchronizedScans,
      write: updateFirst,
      pages: aligned,
      looks: 12,
    }),
  ]),
  ...(['own order products'] as const).flatMap((shape) => [
    lost(shape, 'rows that nobody changed change places', {
      breaks: shuffledEnd,
      write: (rows) => rows,
      pages: [
        [25, 5],
        [25, 6],
      ],
      looks: 1,
    }),
    lost(shape, 'each call begins at another row', {
      breaks: synchronizedScans,
      write: updateFirst,
      pages: aligned,
      looks: 12,
    }),
  ]),
];

/** Services that sort by id whether they are asked or not, and those that keep an order of their own. */
const keptBets: readonly BetCase[] = [
  ...betShapes.map((shape) =>
    lost(shape, 'rows always come by their ids', { write: writeAnywhere, pages: first, looks: 0 }),
  ),
  ...(['offset products', 'own order products'] as const).map((shape) =>
    lost(shape, 'a row goes and another comes', { write: exchange, pages: first, looks: 0 }),
  ),
  lost('own order products', 'rows keep an order of their own', {
    write: writeAnywhere,
    pages: first,
    looks: 0,
  }),
];

const drafted = lostBets.filter(({ shape }) => shape !== 'own order products').map(unbetDraftRow);

/** Orders that nothing asks for: in front of services that do not keep them, and of services that do. */
export const orderBetRows: readonly TableRow[] = [
  ...lostBets.map(betRow),
  ...keptBets.map(betRow),
  ...drafted,
];
