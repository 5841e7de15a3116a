import { parse } from 'yaml';

/*
 * The oracle's own reading of a contract file. It shares nothing with the program: what both have is the text of the file.
 */

/** A field that has a value, as the file says it. */
export type Leaf = {
  readonly path: readonly string[];
  /** The path with points. */
  readonly name: string;
  readonly kind: string;
  readonly required: boolean;
  /** The values of an enum, in their order. */
  readonly values: readonly string[];
  /** What a reference leads to. */
  readonly to: string;
  /** What an id or a reference begins with, before the source's own id: `o_`, or nothing. */
  readonly start: string;
  /** The least bound that a filter takes. */
  readonly minimum: string | undefined;
  /** What a list has. */
  readonly list: ListOf | undefined;
};

/** What a list has: at most so many values, or objects with fields. */
export type ListOf = { readonly max: number; readonly of: Leaf | readonly Leaf[] };

/** A parameter of a list. */
export type Parameter = { readonly name: string; readonly field: string; readonly is: string };

/** A resource as clients see it. */
export type Model = {
  readonly name: string;
  readonly path: string;
  /** What its ids begin with: `o_`, or nothing. */
  readonly start: string;
  /** The fields of a list's record, the id first. */
  readonly item: readonly Leaf[];
  /** Whether its records can be listed. */
  readonly hasList: boolean;
  /** The fields of a single record; `undefined` if there is none. */
  readonly single: readonly Leaf[] | undefined;
  readonly sorts: readonly string[];
  /** The order without `sort`, such as `-total`. */
  readonly order: string;
  readonly filters: readonly Parameter[];
  readonly pages: { readonly default: number; readonly max: number; readonly clamps: boolean };
};

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a file that is known to be valid
type Tree = Readonly<Record<string, any>>;

function leafOf(path: readonly string[], spec: Tree, starts: ReadonlyMap<string, string>): Leaf {
  const { kind, required = false, values = [], to = '', minimum, of, max = 1000 } = spec;
  const least = minimum === undefined ? undefined : String(minimum);
  const inside = () => (typeof of.kind === 'string' ? leafOf(path, of, starts) : leavesOf(of, starts));
  const list = kind === 'list' ? { max, of: inside() } : undefined;
  const start = starts.get(to as string) ?? '';
  return { path, name: path.join('.'), kind, required, values, to, start, minimum: least, list };
}

function leavesOf(fields: Tree, starts: ReadonlyMap<string, string>, above: readonly string[] = []): Leaf[] {
  return Object.entries(fields).flatMap(([key, spec]: [string, Tree]) => {
    const path = [...above, key];
    return typeof spec['kind'] === 'string' ? [leafOf(path, spec, starts)] : leavesOf(spec, starts, path);
  });
}

const ID = leafOf(['id'], { kind: 'id', required: true }, new Map());

/** Reads a contract file that is valid. */
export function readModels(text: string): ReadonlyMap<string, Model> {
  const { version = 'v1', pages = {}, resources } = parse(text) as Tree;
  const entries = Object.entries<Tree>(resources as Tree);
  const starts = new Map(
    entries.map(([name, { id }]) => {
      const prefix = (id as Tree)['prefix'] as string;
      return [name, prefix === '' ? '' : `${prefix}_`];
    }),
  );
  return new Map(
    entries.map(([name, spec]) => {
      const start = starts.get(name)!;
      const item = [{ ...ID, start }, ...leavesOf(spec['fields'] as Tree, starts)];
      const { list = true, single = false, sort = [], order = [], filters = {} } = spec;
      const more = typeof single === 'object' ? leavesOf(single as Tree, starts) : [];
      const own = (spec['pages'] ?? {}) as Tree;
      const model: Model = {
        ...{ name, path: `/${version}/${name}`, start, item },
        hasList: list as boolean,
        single: single === false ? undefined : [...item, ...more],
        sorts: sort as string[],
        order: (order as string[])[0] ?? 'id',
        filters: Object.entries<Tree>(filters as Tree).map(([parameter, { field, is }]) => ({
          ...{ name: parameter, field: field as string, is: is as string },
        })),
        pages: {
          default: (own['default'] ?? pages.default ?? 50) as number,
          max: (own['max'] ?? pages.max ?? 100) as number,
          clamps: pages.overflow === 'clamp',
        },
      };
      return [name, model];
    }),
  );
}
