import type { Leaf, Model, Parameter } from '../oracle/model.ts';
import { countedAs, type Counts } from '../harness/counts.ts';
import type { Random } from './random.ts';
import type { Truth } from '../oracle/oracle.ts';

/** What is asked: a list by its query string, or a record by its id. */
export type Question = {
  readonly target: string;
  readonly query: string;
  readonly id: string | undefined;
  readonly filters: readonly Parameter[];
  /** The order asked for, such as `-total`; `undefined` without one. */
  readonly sort: string | undefined;
};

/** A resource, and the records that questions are invented from. */
export type Asked = { readonly model: Model; readonly rows: readonly { readonly truth: Truth }[] };

const ODD: Readonly<Record<string, readonly string[]>> = {
  integer: ['0', '5', '-1', '007', '5.0', '', 'x', '1e2', '99999999999999999999', '+1'],
  decimal: ['0', '9.900', '-0.25', '10.50', '1e1', '', '.5', '00.1', '100000000000000000.001'],
  boolean: ['true', 'false', '1', '', 'TRUE'],
  datetime: [
    ...['2020-05-01', '2020-05-02', '2020-05-01T12:00:00+02:00', '2020-05-01T08:00:00.0-02:00', '1970-01-01'],
    ...[
      '2020-02-30',
      '2020-05-01T10:00:00',
      '2020-05-01T10:00:60Z',
      '2020-05-01t10:00:00z',
      '2020-05-01T10:00Z',
    ],
    ...['9999-12-31', '0001-01-01', '2020-05-01T10:00:00.1234Z', '', '2020-05-01T24:00:00Z'],
  ],
  date: ['2020-05-01', '2020-05-03', '2025-02-29', '0000-01-01', '', '2020-05-01T00:00:00Z'],
  enum: ['', 'other', 'K0'],
  text: ['', 'nobody', 'é', 'A ', '\u0001', 'x'.repeat(300)],
  reference: ['o_1', 'user_', 'nobody', '', 'site_7', 't7_a'],
  id: ['o_1', '', 'o_999', 'site_'],
};

const encoded = (random: Random, text: string) =>
  random.is(0.3) ? encodeURIComponent(text).replaceAll('%20', '+') : encodeURIComponent(text);

/** The texts that records have of a field; those of a list are its elements. */
export function textsOf({ rows }: Asked, field: string): readonly string[] {
  return rows.flatMap(({ truth }) => truth[field] ?? []).filter((value) => typeof value === 'string');
}

/** A value for a parameter, mostly one that a record has. */
export function valueFor(random: Random, source: Asked, { field, is }: Parameter): string {
  const own = source.model.item.find(({ name }) => name === field)!;
  const leaf = is === 'has' ? (own.list!.of as Leaf) : own;
  if (is === 'known') return random.is(0.97) ? random.of(['true', 'false']) : random.of(['', '1']);
  const have = textsOf(source, field);
  const one = () =>
    have.length > 0 && random.is(0.85) ? variant(random, leaf, random.of(have)) : random.of(ODD[leaf.kind]!);
  if (is !== 'one_of') return one();
  const size = random.is(0.02) ? 101 : 1 + random.below(4);
  return Array.from({ length: size }, one).join(',');
}

/** The same value, written differently. */
function variant(random: Random, { kind }: Leaf, text: string): string {
  if (kind === 'decimal' && random.is(0.3)) return text.includes('.') ? `${text}0` : `${text}.00`;
  if (kind === 'datetime' && random.is(0.4)) return text.slice(0, 10);
  return text;
}

function sortFor(random: Random, { sorts }: Model, counts: Counts, kindOf: (field: string) => string) {
  if (sorts.length === 0 || random.is(0.25)) return undefined;
  const candidates = [random.of(sorts), random.of(sorts)];
  const rarest = candidates.sort((a, b) => counts.ofSort(kindOf(a)) - counts.ofSort(kindOf(b)))[0]!;
  return (random.is(0.5) ? '-' : '') + rarest;
}

/** A question about a list, of what was asked least so far. */
export function listQuestion(random: Random, source: Asked, counts: Counts): Question {
  const { model } = source;
  const kindOf = (field: string) => countedAs(model.item.find(({ name }) => name === field)!);
  const filters = new Set<Parameter>();
  const many = model.filters.length === 0 ? 0 : random.of([0, 0, 1, 1, 1, 2, 3]);
  for (let at = 0; at < many; at += 1) {
    const pair = [random.of(model.filters), random.of(model.filters), random.of(model.filters)];
    const rank = ({ field, is }: Parameter) => counts.ofFilter(kindOf(field), is);
    filters.add(pair.sort((a, b) => rank(a) - rank(b))[0]!);
  }
  const sort = sortFor(random, model, counts, kindOf);
  const page = random.of([undefined, undefined, undefined, '1', '2', '2', '3', '9', '1000000000']);
  const limit = random.of([undefined, '1', '3', '7', '7', String(model.pages.max)]);
  const parts: [string, string][] = [...filters].map((one) => [one.name, valueFor(random, source, one)]);
  if (sort !== undefined) parts.push(['sort', sort]);
  if (page !== undefined) parts.push(['page', page]);
  if (limit !== undefined) parts.push(['limit', limit]);
  if (random.is(0.03))
    parts.push(
      random.of([
        ['page', '0'],
        ['limit', '1001'],
        ['limit', 'x'],
        ['sort', 'nothing'],
        ['unknown', '1'],
      ]),
    );
  const query = random
    .shuffled(parts)
    .map(([name, value]) => `${name}=${encoded(random, value)}`)
    .join('&');
  const target = `${model.path}${query === '' ? '' : `?${query}`}`;
  return { target, query, id: undefined, filters: [...filters], sort };
}

/** A question about one record, which may not exist. */
export function singleQuestion(random: Random, { model, rows }: Asked): Question {
  const known = rows.map(({ truth }) => truth.id);
  const id =
    random.is(0.85) && known.length > 0
      ? random.of(known)
      : model.start + random.of(['999', 'zz', '~', '%2F', '%2e%2e%2fa']);
  return { target: `${model.path}/${id}`, query: '', id, filters: [], sort: undefined };
}
