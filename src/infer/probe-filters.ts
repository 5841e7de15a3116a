import { compilePath } from '../adapter/path.ts';
import { escapes } from '../adapter/escape.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { KnownFilter } from './dialect.ts';
import { scalarText } from './json-values.ts';
import type { Lister, Listing } from './list-view.ts';
import { type Recipe, withQuery, withValue } from './recipe.ts';

/** A filter that did what it should. */
export type FoundFilter = KnownFilter & {
  readonly exact: boolean;
  /** The total stayed that of all rows. */
  readonly countsAll: boolean;
  readonly remark: string;
};

/** What is known of a list before its filters are tried. */
export type FilterScene = {
  readonly recipe: Recipe;
  /** Rows of the list without a filter; all of them where `complete`. */
  readonly rows: readonly JsonObject[];
  readonly complete: boolean;
  /** The most rows that a call of `recipe` brings. */
  readonly windowRows: number;
  readonly totalOf: (listing: Listing) => number | undefined;
  /** The path of a field, where it is read without steps that change its value. */
  readonly pathOf: (field: 'category' | 'price') => string | undefined;
  /** The parameter that takes conditions, as `{ $filter: '{filter}' }`. */
  readonly filterQuery: Readonly<Record<string, string>> | undefined;
  /** Where items of a JSON body go. */
  readonly itemPlace: readonly string[] | undefined;
};

function asked(scene: FilterScene, filter: KnownFilter, value: string): Recipe {
  const fill = (template: string) => template.replace('{value}', () => value);
  if (filter.query !== undefined) {
    return withQuery(
      scene.recipe,
      Object.fromEntries(Object.entries(filter.query).map(([name, template]) => [name, fill(template)])),
    );
  }
  if (filter.expr !== undefined) {
    const condition = filter.expr.replace('{value}', () => escapes[filter.escape ?? 'number'](value));
    const query = Object.entries(scene.filterQuery ?? {}).map(([name, template]) => [
      name,
      template.replace('{filter}', () => condition),
    ]);
    return withQuery(scene.recipe, Object.fromEntries(query) as Record<string, string>);
  }
  const written = JSON.stringify(filter.item).replaceAll('"{value}"', () => JSON.stringify(value));
  const place = { in: 'json', path: scene.itemPlace ?? [] } as const;
  return withValue(scene.recipe, place, [JSON.parse(written)] as unknown as string);
}

type Fits = (row: JsonObject, value: string) => boolean;

const numberIn = (text: string | undefined) =>
  text === undefined || !/^-?\d+(?:\.\d+)?$/.test(text) ? undefined : Number(text);

function fitsOf(path: string, op: KnownFilter['op']): Fits {
  const find = compilePath(path);
  return (row, value) => {
    const text = scalarText(find(row))?.trim();
    if (op === 'eq') return text === value;
    const own = numberIn(text);
    return own !== undefined && (op === 'ge' ? own >= Number(value) : own <= Number(value));
  };
}

/** Values of each kind that are tried. */
const VALUES_MAX = 8;

/** How hard a text is to send: one that looks like another type most of all, then one that an address escapes. */
function hardness(text: string): number {
  if (/^(?:null|true|false|undefined|nan|-?\d+(?:\.\d+)?)$/i.test(text)) return 3;
  if (/[^\w ]/.test(text)) return 2;
  // With a letter it shows whether case counts.
  return /[a-z]/i.test(text) ? 1 : 0;
}

/** Values to ask for: one that some rows have and others have not. */
function sampleValues(scene: FilterScene, path: string, op: KnownFilter['op']): readonly string[] {
  const find = compilePath(path);
  const texts = scene.rows.map((row) => scalarText(find(row))?.trim() ?? '').filter((text) => text !== '');
  if (op === 'eq') {
    const values = [...new Set(texts)].filter((text) => text.length < 100 && !/[{}]|\$/.test(text));
    return values.sort((a, b) => hardness(b) - hardness(a)).slice(0, VALUES_MAX);
  }
  const numbers = [...new Set(texts)]
    .filter((text) => numberIn(text) !== undefined)
    .sort((a, b) => Number(a) - Number(b));
  const middle = numbers[Math.floor(numbers.length / 2)];
  return middle === undefined || numbers.length < 2 ? [] : [middle];
}

/** What a filter's rows and total show: right, right but for the total, or wrong. */
function judge(
  scene: FilterScene,
  found: Listing,
  fits: Fits,
  value: string,
): 'right' | 'countsAll' | 'wrong' {
  if (found.rows.length === 0 || !found.rows.every((row) => fits(row, value))) return 'wrong';
  const expected = scene.rows.filter((row) => fits(row, value)).length;
  const total = scene.totalOf(found);
  if (!scene.complete) {
    const fewer = total === undefined || total < scene.rows.length || found.rows.length < scene.windowRows;
    return fewer || total >= expected ? 'right' : 'wrong';
  }
  if (found.rows.length !== Math.min(expected, scene.windowRows)) return 'wrong';
  if (total === undefined || total === expected) return 'right';
  return total === scene.rows.length ? 'countsAll' : 'wrong';
}

const otherCase = (text: string) => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());
const NOBODY = 'zz-portico-nothing';

/** Whether values that no row has bring no row: a filter that is ignored brings them all. */
async function findsNothing(
  lister: Lister,
  scene: FilterScene,
  filter: KnownFilter,
  beyond: string,
): Promise<boolean> {
  const { listing } = await lister.list(asked(scene, filter, beyond));
  return listing?.rows.length === 0;
}

async function tryFilter(
  lister: Lister,
  scene: FilterScene,
  filter: KnownFilter,
): Promise<FoundFilter | undefined> {
  const path = scene.pathOf(filter.field);
  const values = path === undefined ? [] : sampleValues(scene, path, filter.op);
  if (path === undefined || values.length === 0 || lister.asker.left < 6) return undefined;
  const fits = fitsOf(path, filter.op);
  let countsAll = false;
  for (const value of values) {
    const { listing } = await lister.list(asked(scene, filter, value));
    const verdict = listing === undefined ? 'wrong' : judge(scene, listing, fits, value);
    if (verdict === 'wrong') return undefined;
    countsAll ||= verdict === 'countsAll';
  }
  const beyond = { eq: NOBODY, ge: '99999999999', le: '-99999999999' }[filter.op];
  if (!(await findsNothing(lister, scene, filter, beyond))) return undefined;
  const first = values.find((value) => /[a-z]/i.test(value)) ?? '';
  const cased = filter.op === 'eq' && otherCase(first) !== first;
  const other = cased ? (await lister.list(asked(scene, filter, otherCase(first)))).listing : undefined;
  const ignoresCase = other !== undefined && other.rows.some((row) => fits(row, first));
  const exact = !ignoresCase && filter.superset !== true;
  const seen = scene.complete ? 'against all rows of the list' : 'against the rows seen';
  const remark = ignoresCase
    ? 'finds other spellings of upper and lower case, too'
    : `tried with ${values.length} value${values.length > 1 ? 's' : ''} and one that no row has, ${seen}`;
  return { ...filter, exact, countsAll, remark };
}

/** Filters of services without a name, over a plain column. */
export function usualFilters(
  category: string | undefined,
  price: string | undefined,
): readonly KnownFilter[] {
  const plain = (column: string | undefined): column is string =>
    column !== undefined && /^[A-Za-z_]\w*$/.test(column);
  const bounds = (low: string, high: string): readonly KnownFilter[] => [
    { field: 'price', op: 'ge', query: { [low]: '{value}' } },
    { field: 'price', op: 'le', query: { [high]: '{value}' } },
  ];
  return [
    ...(plain(category) ? [{ field: 'category', op: 'eq', query: { [category]: '{value}' } } as const] : []),
    ...(plain(category)
      ? [{ field: 'category', op: 'eq', query: { [`filter[${category}]`]: '{value}' } } as const]
      : []),
    ...(plain(price)
      ? [
          ...bounds(`${price}_gte`, `${price}_lte`),
          ...bounds(`min_${price}`, `max_${price}`),
          ...bounds(`${price}[gte]`, `${price}[lte]`),
          ...bounds(
            `min${price[0]?.toUpperCase() ?? ''}${price.slice(1)}`,
            `max${price[0]?.toUpperCase() ?? ''}${price.slice(1)}`,
          ),
        ]
      : []),
  ];
}

/** Tries filters; of several ways to ask for the same, the first that does what it should. */
export async function findFilters(
  lister: Lister,
  scene: FilterScene,
  filters: readonly KnownFilter[],
): Promise<readonly FoundFilter[]> {
  const found: FoundFilter[] = [];
  for (const filter of filters) {
    if (found.some(({ field, op }) => field === filter.field && op === filter.op)) continue;
    const works = await tryFilter(lister, scene, filter);
    if (works !== undefined) found.push(works);
  }
  return found;
}
