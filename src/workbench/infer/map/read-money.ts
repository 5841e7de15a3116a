// Finds the currency beside an amount, so that a draft reads both with the step `money`.

import { type Column, knownValues } from './columns.ts';
import { likely, toEdit } from '../notes/note.ts';

const CURRENCY =
  /^(?:currency|currencycode|currencyiso|currencyisocode|curr|ccy|waers|waehrung|wahrung|devise|moneda|pricecurrency|valuta)$/;

/** The path of a column's parent, and the column's last key. */
function parted(path: string): { parent: string; key: string } {
  const [, parent = '', key = path] = /^(.*)\.([^."]+|"(?:[^"\\]|\\.)*")$/.exec(path) ?? [];
  return { parent, key };
}

/**
 * Finds the currency beside an amount, as the step `money` reads both; `from` is the path of the object that holds them.
 * Amounts in different currencies must not be compared, so the most frequent currency is kept and the others become null.
 */
export function findMoney(amount: Column, columns: readonly Column[]) {
  const { parent, key } = parted(amount.path);
  const beside = columns.find(
    (column) =>
      CURRENCY.test(column.words.at(-1) ?? '') &&
      parted(column.path).parent === parent &&
      knownValues(column).length > 0 &&
      knownValues(column).every((value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value)),
  );
  if (beside === undefined || /[|[]/.test(amount.path)) return undefined;
  const counts = [...Map.groupBy(knownValues(beside).map(String), (code) => code)];
  const codes = counts.sort(([, a], [, b]) => b.length - a.length).map(([code]) => code);
  const [expect = ''] = codes;
  const money = { amount: key, currency: parted(beside.path).key, expect };
  const remark =
    codes.length > 1
      ? toEdit(
          `amounts in ${codes.length} currencies (${codes.slice(0, 5).join(', ')}): those in others than ${expect} become null`,
        )
      : likely(`every amount is in ${expect}; others become null`);
  return { from: parent, step: { money }, remark };
}
