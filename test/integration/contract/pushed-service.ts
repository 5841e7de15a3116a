/** A row as the service has it; a number of an order gives all of its values. */
type Row = Readonly<Record<string, string | number | null>>;
const ROWS = Array.from({ length: 60 }, (_, index): Row => {
  const day = new Date(Date.UTC(2025, 0, 1 + (index % 20)));
  const at = new Date(day.getTime() + (index % 3) * 3_600_000 * 11 + (index % 4 === 0 ? 250 : 0));
  return {
    id: index + 1,
    st: (index % 3) + 1,
    sum: index % 13 === 12 ? null : ((index * 7) % 11) + (index % 2) / 2 - 3,
    n: index % 17 === 16 ? null : (index * 5) % 9,
    paid: index % 19 === 18 ? null : index % 2 === 0 ? 'Y' : 'N',
    due: index % 11 === 10 ? null : day.toISOString().slice(0, 10),
    ship: index % 5 === 4 ? '0000-00-00' : day.toISOString().slice(0, 10),
    at: at.toISOString(),
    secs: index % 7 === 6 ? 0 : Date.parse('2025-03-01T00:00:00Z') / 1_000 + index * 60,
    cust: (index % 5) * 3 + 1,
  };
});

/** What the service compares: times as times, numbers as numbers, the codes of `paid` in the contract's order. */
function valueOf(column: string, text: string): string | number {
  return column === 'at' ? Date.parse(text) : ['due', 'ship', 'paid'].includes(column) ? text : Number(text);
}

function fits(row: Row, parameter: string, wanted: string): boolean {
  const [column = '', op] = parameter.split('.');
  const own = row[column] ?? null;
  if (own === null) return false;
  const [left, right] = [valueOf(column, String(own)), valueOf(column, wanted)];
  return op === 'eq' ? left === right : op === 'ge' ? left >= right : left <= right;
}

function compare(a: Row, b: Row, column: string, isDescending: boolean): number {
  const [left, right] = [a[column] ?? null, b[column] ?? null];
  if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
  const [one, other] = [valueOf(column, String(left)), valueOf(column, String(right))];
  const order = one < other ? -1 : one > other ? 1 : 0;
  return isDescending ? -order : order;
}

/** Answers as a service that filters, sorts and counts by itself. */
export function serve(query: URLSearchParams, isIgnoring = false) {
  const filters = [...query].filter(([name]) => name.includes('.'));
  const [column, way] = (query.get('by') ?? 'id.asc').split('.');
  const found = ROWS.filter((row) => isIgnoring || filters.every(([name, value]) => fits(row, name, value)));
  found.sort((a, b) => compare(a, b, column ?? 'id', way === 'desc') || Number(a['id']) - Number(b['id']));
  const from = Number(query.get('from'));
  return { total: found.length, rows: found.slice(from, from + Number(query.get('n'))) };
}
