import type { OperationRow } from '../operations/row.ts';
import { boardRows } from './board.ts';

/** Every row, by theme, in its order. A new theme is a file of its own and a line here. */
export const themes: Readonly<Record<string, readonly OperationRow[]>> = {
  board: boardRows,
};
