import type { TableRow } from '../harness/row.ts';
import { sourceText } from '../harness/source-file.ts';
import { shapes, type ShapeName } from '../harness/traits.ts';
import { type FileTrial, fileRow } from './trial-row.ts';

/** The service must be read in smaller windows: no answer is wrong or an error, and doctor tells the size. */
const judge = ({ differs, differsLater, wrong, errors, contradicted }: FileTrial) => [
  ...differs.map((line) => `doctor says ${line} before`),
  ...(differsLater.some((line) => line.startsWith('size')) ? [] : ['doctor says nothing of the size']),
  ...(wrong.length > 0 ? [`${wrong.length} wrong answers`] : []),
  ...errors.map((line) => `an error: ${line}`),
  ...contradicted.map((claim) => `${claim} was called contradicted`),
];

/** A service that gives fewer rows at once from the first write on, and counts its pages in them. */
function loweredRow(shape: ShapeName, rows: number): TableRow {
  return fileRow({
    ...{ name: `cap lowered to ${rows} (${shape})`, shape, judge },
    textOf: (origin) => sourceText(shapes[shape], origin),
    changes: true,
    breaks: (correct, store) => ({
      ask(asked) {
        const ask = correct.ask(asked);
        const size = store.writes > 0 ? Math.min(rows, ask.size) : ask.size;
        const first = store.traits.window === 'page' ? (ask.first / ask.size) * size : ask.first;
        return { ...ask, size, first };
      },
    }),
  });
}

const lowered: readonly (readonly [ShapeName, number])[] = [
  ['offset products', 10],
  ['offset products', 24],
  ['offset users', 7],
  ['one offset users', 12],
  ['sorted products', 12],
  ['uncounted products', 10],
  ['uncounted users', 5],
  ['loosely counted products', 10],
  ['page products', 10],
  ['page products', 12],
  ['page users', 12],
  ['zero page users', 20],
  ['counted products', 12],
  ['missing end products', 12],
  ['last end products', 12],
];

/** Services that lower the number of rows that they give at once. */
export const loweredCapRows: readonly TableRow[] = lowered.map(([shape, rows]) => loweredRow(shape, rows));
