import { parse, stringify } from 'yaml';

/** Every name of the built-in contract, and another one that says nothing. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ users: 'zz1', user: 'za', products: 'zz2', product: 'zp', prod: 'zb', profile: 'g1' },
  ...{ name: 'f1', email: 'f2', created_at: 'f3', bio: 'f4', location: 'f5', avatar_url: 'f6' },
  ...{ description: 'f7', price: 'f8', category: 'f9', min_price: 'p1', max_price: 'p2' },
};

/** A text in which each of these names is renamed: a path of them, a sort by one, a message. */
export const renamed = (text: string) => text.replaceAll(/\w+/g, (word) => NAMES[word] ?? word);

type Tree = { readonly [key: string]: Tree };
type Change = (value: Tree) => unknown;

/** A map with other keys. */
const keys = (tree: Tree, change: Change = (value) => value) =>
  Object.fromEntries(Object.entries(tree).map(([key, value]) => [renamed(key), change(value)]));

/** A map of which some values are changed. */
const within = (tree: Tree, changes: Readonly<Record<string, Change>>) =>
  Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      changes[key] === undefined ? value : changes[key](value),
    ]),
  );

const text: Change = (value) => renamed(value as unknown as string);
const texts: Change = (value) => (value as unknown as readonly string[]).map(renamed);

/** Fields of a contract: those of a nested object, too. */
const fields: Change = (tree) =>
  keys(tree, (value) => (typeof value['kind'] === 'string' ? value : fields(value)));

/** A contract file with other names. What fields mean stays. */
export function renamedContract(contract: string): string {
  const resource: Change = (tree) =>
    within(tree, {
      singular: text,
      id: (id) => within(id, { prefix: text }),
      fields,
      single: (single) => (typeof single === 'object' ? fields(single) : single),
      sort: texts,
      order: texts,
      filters: (filters) => keys(filters, (filter) => within(filter, { field: text })),
    });
  return stringify(within(parse(contract) as Tree, { resources: (all) => keys(all, resource) }));
}

/** A source file with other names of the contract. What the service has stays. */
export function renamedSource(source: string): string {
  const byField: Change = (tree) => keys(tree);
  const view = { map: byField, filters: byField, sort: (sort: Tree) => within(sort, { columns: byField }) };
  const resource: Change = (tree) =>
    within(tree, { list: (list) => within(list, view), get: (get) => within(get, view) });
  return stringify(within(parse(source) as Tree, { resources: (all) => keys(all, resource) }));
}
