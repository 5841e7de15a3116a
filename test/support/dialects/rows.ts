import type { ResourceName } from '../reference.ts';
import { readSource } from '../../../src/cli/input/read-config.ts';
import { readFixtures } from '../../../src/workbench/recordings/read-fixtures.ts';

/** A record as a service keeps it: plain JSON, in which numbers have lost nothing that counts here. */
export type Row = Record<string, unknown>;

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .filter((key) => key !== '')
    .reduce<unknown>((here, key) => (here as Row | undefined)?.[key.replaceAll('"', '')], value);
}

/** The row with another value at a place. */
export function setAt(row: Row, path: string, value: unknown): Row {
  const [key = '', ...rest] = path.split('.');
  return { ...row, [key]: rest.length === 0 ? value : setAt((row[key] ?? {}) as Row, rest.join('.'), value) };
}

/** The id of the row `n`: of the form of the ids that the fixtures have. */
function idLike(model: unknown, n: number): unknown {
  if (typeof model === 'number') return 100 + n;
  const text = String(model);
  const digits = String(100 + n);
  return /\/\d+$/.test(text) ? text.replace(/\d+$/, digits) : text.replace(/.{3}$/, digits);
}

/** Where a dialect's fixtures hold the rows of its list, and their ids. */
export type RowSource = {
  readonly example: string;
  readonly resource: ResourceName;
  /** Keys of the list in a reply; empty where the reply is the list. */
  readonly items: string;
  /** Keys of the id in a row. */
  readonly id: string;
};

/** The rows that the recorded replies of an example hold, each once. */
function recordedRows({ example, resource, items, id }: RowSource): readonly Row[] {
  const cases = readFixtures(readSource(`config/examples/${example}.yaml`));
  const bodies = cases
    .filter(({ fixture }) => new RegExp(`/v1/${resource}(\\?|$)`).test(fixture.request))
    .flatMap(({ fixture }) => fixture.upstream.map(({ reply }) => reply.body ?? ''))
    .filter((body) => /^\s*[[{]/.test(body));
  const rows = bodies.flatMap((body) => {
    const found = at(JSON.parse(body), items);
    return Array.isArray(found) ? (found as Row[]) : [];
  });
  return [...new Map(rows.map((row) => [at(row, id), row])).values()];
}

/** The rows of a service, and where they are from. A change of the list is a change of what the service has. */
export type Table = { readonly source: RowSource; readonly rows: Row[] };

let madeTables: Table[] = [];

/** What `make` makes, with the tables that it has made for itself. */
export function withTables<T>(make: () => T): { readonly made: T; readonly tables: readonly Table[] } {
  madeTables = [];
  return { made: make(), tables: madeTables };
}

/** A row with the id `n`, made of a recorded one. */
export function makeRow({ source, rows }: Table, n: number): Row {
  const models = recordedRows(source);
  return setAt({ ...models[n % models.length] }, source.id, idLike(at(rows[0] ?? models[0], source.id), n));
}

/** `count` rows, made of the recorded ones by giving each an id of its own, in ascending order of them. */
export function manyRows(source: RowSource, count: number): readonly Row[] {
  const models = recordedRows(source);
  if (models.length === 0) throw new Error(`no rows are recorded of ${source.example}`);
  const first = at(models[0], source.id);
  const rows = Array.from({ length: count }, (_, n) =>
    setAt({ ...models[n % models.length] }, source.id, idLike(first, n)),
  );
  madeTables.push({ source, rows });
  return rows;
}

/** What stands at the id's place of a row. */
export function idOf(row: Row, { id }: RowSource): string {
  return String(at(row, id));
}
