import type { ResourceName } from '../reference.ts';
import type { ModelRecord } from './contract-model.ts';

/**
 * What an upstream does, or what a source file says of it, one choice per line. Where the two differ, the source
 * file lies, or the upstream does: it is the same to the gateway.
 */
export type Capabilities = {
  readonly resource: ResourceName;
  readonly format: 'json' | 'xml' | 'csv' | 'ndjson';
  /** Whole numbers, numbers with leading zeros, UUIDs, texts with characters that mean something in a URL. */
  readonly ids: 'number' | 'padded' | 'uuid' | 'odd';
  /** How a JSON list holds its rows: as they are, each in a node, by key, as a table, as columns. */
  readonly rows: 'list' | 'nodes' | 'map' | 'table' | 'columns';
  /** Whether categories are codes and prices are cents. */
  readonly coded: boolean;
  /** How a list is asked for: by a query, or by POST with a JSON or form body. */
  readonly style: 'query' | 'json' | 'form';
  /** How filters and sorts are asked for: a parameter each, one expression, a list in a JSON body. */
  readonly ask: 'parameters' | 'expression' | 'items';
  readonly window: 'offset' | 'page' | 'cursor' | 'link' | 'keyset' | 'none';
  /** Number of the first row or page. */
  readonly base: 0 | 1;
  /** The largest window. The upstream silently gives no more; the source file promises as many. */
  readonly size: number;
  /** The most rows that can be reached; more are refused. */
  readonly depth: number | undefined;
  /** What is behind the last row. */
  readonly pastEnd: 'empty' | 'last' | 'wrap' | 400 | 404 | 416;
  /** Where the number of rows stands; `bound`: at a path, and only a lower bound where there are many. */
  readonly total: 'path' | 'header' | 'count' | 'bound' | 'none';
  readonly counts: 'filtered' | 'all';
  /** Added to every total; not a number where totals cannot be read. */
  readonly totalError: number;
  readonly filter: 'exact' | 'superset' | 'ignored' | 'pageLocal' | 'none';
  readonly sort: 'right' | 'unstable' | 'collation' | 'ignored' | 'none';
  /** Order without a sort: ascending id, always the same (said or unsaid), or another one with each window. */
  readonly order: 'id' | 'own' | 'unsaid' | 'random';
  /** Whether hidden rows are taken out after paging, so that windows anywhere may be short. */
  readonly hides: boolean;
  /** Whether hidden rows are not taken out, but marked: they are no records, and windows and totals count them. */
  readonly marks: boolean;
  /** What the rows of a list lack, and only a row by itself has: nothing, some fields, or all but the id. */
  readonly lacks: 'nothing' | 'some' | 'all';
  /** What a row by itself is: itself, another row, or, of one row, nothing. */
  readonly details: 'own' | 'other' | 'gone';
  readonly missing: '404' | 'empty 404' | '403' | '200 null' | '200 []' | '200 code' | '500 fault';
};

/** A row of the model: its id in the source, and what v1 must make of it. */
export type Row = {
  readonly native: string;
  readonly record: ModelRecord;
  readonly hidden: boolean;
};

/** From this number of rows on, a `bound` total is one. */
export const BOUND = 4;

/** The categories there are; a coded one is known by its place. */
export const CATEGORIES = [
  'Toys',
  'toys',
  'Tools',
  "Kid's",
  'Möbel',
  'Mo\u0308bel',
  'a and b',
  "' or '1",
  '0',
];

/** The fields of a resource. */
export const FIELDS = {
  users: ['name', 'email', 'created_at'],
  products: ['name', 'description', 'price', 'category'],
} as const;

const SOME: readonly string[] = ['email', 'name', 'category'];

/** Whether the rows of a list lack a field. */
export function isLacking({ lacks }: Pick<Capabilities, 'lacks'>, name: string): boolean {
  return lacks === 'all' || (lacks === 'some' && SOME.includes(name));
}

/** What stands in the source for a value of a v1 field. */
export function nativeValue({ coded }: Capabilities, name: string, value: string | null): string | null {
  if (!coded || value === null) return value;
  if (name === 'category') return `C${CATEGORIES.indexOf(value)}`;
  return name === 'price' ? String(BigInt(value.replace('.', ''))) : value;
}

/** The v1 id of a native one (the contract's rule, written down a second time). */
export function v1Id({ resource, ids }: Pick<Capabilities, 'resource' | 'ids'>, native: string): string {
  const prefix = resource === 'users' ? 'user' : 'prod';
  if (ids === 'number' || ids === 'padded') return `${prefix}_${BigInt(native)}`;
  const escaped = Array.from(Buffer.from(native), (byte) =>
    /[A-Za-z0-9_.-]/.test(String.fromCharCode(byte)) && byte < 128
      ? String.fromCharCode(byte)
      : `~${byte.toString(16).padStart(2, '0')}`,
  );
  return `${prefix}_${escaped.join('')}`;
}

/** The nearest choices that go together: not every format has a place for a total or a cursor, and so on. */
export function possible(wanted: Capabilities): Capabilities {
  const table = wanted.format === 'csv' || wanted.format === 'ndjson';
  const window =
    (table && wanted.window === 'cursor') || (wanted.window === 'keyset' && wanted.order !== 'id')
      ? 'link'
      : wanted.window;
  const numbered = window === 'offset' || window === 'page';
  return {
    ...wanted,
    window,
    rows: wanted.format === 'json' ? wanted.rows : 'list',
    coded: wanted.coded && wanted.resource === 'products',
    depth: numbered ? wanted.depth : undefined,
    ask: wanted.ask === 'items' && wanted.style !== 'json' ? 'expression' : wanted.ask,
    total: table && (wanted.total === 'path' || wanted.total === 'bound') ? 'header' : wanted.total,
    pastEnd: numbered ? wanted.pastEnd : 'empty',
    marks: wanted.hides && wanted.marks,
    // A walk by key ends with an empty window, and a walk by name is held to the total: neither can lose rows.
    hides:
      wanted.hides &&
      (wanted.marks || numbered || (window !== 'keyset' && window !== 'none' && wanted.total === 'none')),
    missing: missingForm(wanted),
  };
}

function missingForm({ format, missing }: Capabilities): Capabilities['missing'] {
  if (format === 'json') return missing;
  if (format === 'xml') return missing === '200 null' || missing === '200 []' ? 'empty 404' : missing;
  return missing === '200 code' || missing === '500 fault' || missing === '200 null' ? '200 []' : missing;
}
