import type { Lie } from './harness/lie.ts';
import { honestRows, type Row } from './harness/run-row.ts';
import { continuationLies } from './lies/continuation.ts';
import { filterLies } from './lies/filter.ts';
import { orderLies } from './lies/order.ts';
import { recordLies } from './lies/record.ts';
import { selectionLies } from './lies/selection.ts';
import { sortLies } from './lies/sort.ts';
import { totalLies } from './lies/total.ts';
import { wholeLies } from './lies/whole.ts';
import { windowLies } from './lies/window.ts';

/** Every lie, by the claim that it breaks. */
export const lies: readonly Lie[] = [
  ...[...totalLies, ...orderLies, ...sortLies, ...filterLies, ...selectionLies],
  ...[...windowLies, ...continuationLies, ...recordLies, ...wholeLies],
];

/** Every row: honest services first, then the lies. */
export const table: readonly Row[] = [...honestRows(), ...lies];
