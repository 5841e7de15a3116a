// Sorts and filters the rows of a table, for data-table.ts. Unknown values are last in both directions.

/** The value by which a cell is sorted. */
export type SortValue = string | number | null | undefined;

/** The order of a table: the key of a column, and the direction. */
export type TableOrder = { readonly key: string; readonly descending: boolean };

/** Reads an order of the address: `name`, or `-name` for descending. */
export function readOrder(text: string | undefined, otherwise: string): TableOrder {
  const order = text === undefined || text === '' ? otherwise : text;
  return order.startsWith('-')
    ? { key: order.slice(1), descending: true }
    : { key: order, descending: false };
}

/** The order after a click on the head of a column: numbers begin with the largest. */
export function nextOrder(now: TableOrder, key: string, isNumber: boolean): string {
  if (now.key !== key) return isNumber ? `-${key}` : key;
  return now.descending ? key : `-${key}`;
}

function isUnknown(value: SortValue): value is null | undefined {
  return value === null || value === undefined || (typeof value === 'number' && Number.isNaN(value));
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Sorts rows by one value of each; rows that are equal keep their order. */
export function sortedRows<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => SortValue,
  descending: boolean,
): readonly Row[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [valueOf(a), valueOf(b)];
    if (isUnknown(one) || isUnknown(other)) return Number(isUnknown(one)) - Number(isUnknown(other));
    if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
    return sign * collator.compare(String(one), String(other));
  });
}

/** The rows whose text has every word of the search; upper and lower case are equal. */
export function filteredRows<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  search: string,
): readonly Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
