import type { Ask } from '../harness/ask.ts';
import type { Breaks, Store } from '../harness/start-service.ts';
import { drawn, type StoredRecord } from '../harness/records.ts';
import { byId, ordering } from '../harness/steps.ts';

type Rows = readonly StoredRecord[];

/** The order in which a store without an order gives its rows, once somebody has written. */
const afterWrite = (change: (rows: Rows, ask: Ask, store: Store) => Rows): Breaks =>
  ordering((rows, ask, store) => (store.writes === 0 ? rows : change(rows, ask, store)));

/** Rows from another one on: a scan of a table may begin where another scan is. */
const turned = (rows: Rows, by: number): Rows => [...rows.slice(by), ...rows.slice(0, by)];

/** An UPDATE writes a row anew, behind all others. */
export const heap = afterWrite((rows, _ask, { before }) => {
  const old = new Set(before);
  return [...byId(rows.filter((row) => old.has(row))), ...byId(rows.filter((row) => !old.has(row)))];
});

/** A new row takes the place of a deleted one. */
export const reusedSlot = afterWrite((rows, _ask, { before }) => {
  const old = new Set(before);
  const gone = before.findIndex(({ record }) => !rows.some((row) => row.record.id === record.id));
  return byId(rows.filter((row) => old.has(row))).toSpliced(gone, 0, ...rows.filter((row) => !old.has(row)));
});

/** The table is written anew, in another order. */
export const rewritten = afterWrite((rows) => turned(byId(rows), 50));

/** Each call begins at another row. */
export const synchronizedScans = afterWrite((rows, { number }) => turned(byId(rows), (number % 4) * 25));

/** Blocks of rows have changed places. */
export const movedBlocks = afterWrite((rows) => {
  const sorted = byId(rows);
  const blocks = Array.from({ length: Math.ceil(rows.length / 25) }, (_, at) => at);
  const moved = blocks.toSorted((a, b) => drawn(a + 5, 97) - drawn(b + 5, 97));
  return moved.flatMap((at) => sorted.slice(at * 25, at * 25 + 25));
});

/** Rows that nobody has changed stand otherwise among each other. */
export const shuffledEnd = afterWrite((rows) => [...rows.slice(0, -40), ...rows.slice(-40).toReversed()]);
