import type { Leaf, Model } from '../oracle/model.ts';
import type { Truth } from '../oracle/oracle.ts';
import { compareIds, type Shown } from '../oracle/values.ts';
import { recordText } from './lists.ts';
import type { Random } from './random.ts';
import { IDS } from './pools.ts';
import type { Coding } from './pools.ts';
import { randomCoding } from './values.ts';

/** The operators that a source can be asked with, by the relation of the contract. */
export const OPERATORS: Readonly<Record<string, string>> = {
  ...{ equal: 'eq', one_of: 'in', at_least: 'ge', at_most: 'le' },
};

/** A filter that the source can do. */
export type Push = {
  readonly leaf: Leaf;
  readonly op: string;
  readonly exactness: 'exact' | 'superset';
  /** What stands between several values; `undefined` if each has a parameter of its own. */
  readonly separator: ',' | '|' | undefined;
};

/** A record as the source has it, and as clients must see it. */
export type Row = {
  /** The id in a path of the source. */
  readonly native: string;
  /** The record as JSON, with the digits and forms of the source. */
  readonly held: string;
  readonly truth: Truth;
};

/** What the source of one resource has, and can do. */
export type SourceResource = {
  readonly model: Model;
  readonly idKind: 'number' | 'text';
  readonly codings: ReadonlyMap<string, Coding>;
  /** Where the value of each field stands in a record. */
  readonly places: ReadonlyMap<string, string>;
  readonly rows: readonly Row[];
  readonly drops: boolean;
  /** Whether records lack required values although the file does not leave such out: then every list is read whole. */
  readonly fails: boolean;
  readonly window: 'none' | 'offset' | 'page';
  readonly size: number;
  readonly base: number;
  readonly hasTotal: boolean;
  readonly order: 'id' | 'unknown';
  readonly sorts: readonly string[];
  readonly pushes: readonly Push[];
};

/** The kinds of ids of each resource's source. */
export type IdKinds = ReadonlyMap<string, 'number' | 'text'>;

const leavesOf = (model: Model) => [...(model.single ?? model.item)].filter(({ kind }) => kind !== 'id');

function codingsOf(random: Random, model: Model, idKinds: IdKinds): Map<string, Coding> {
  const labels = new Set(
    model.filters.filter(({ is }) => is === 'equal' || is === 'has').map(({ field }) => field),
  );
  return new Map(
    leavesOf(model).map((leaf) => [
      leaf.name,
      randomCoding(random, leaf, {
        isLabel: labels.has(leaf.name),
        idKindOf: (resource) => idKinds.get(resource) ?? 'number',
      }),
    ]),
  );
}

type Making = Pick<SourceResource, 'model' | 'idKind' | 'codings' | 'places' | 'drops' | 'fails'>;

function rowsOf(random: Random, { model, idKind, codings, places, drops, fails }: Making): readonly Row[] {
  const ids = random.shuffled(IDS[idKind]);
  const distinct = new Map(ids.map(([held, shown]) => [shown, held]));
  const inItem = new Set(model.item.map(({ name }) => name));
  // Few values for a field, so that some are equal.
  const pools = leavesOf(model).map((leaf) => {
    const { values } = codings.get(leaf.name)!;
    const mayLack = !leaf.required || ((drops || fails) && inItem.has(leaf.name));
    const allowed = mayLack ? values : values.filter(([, shown]) => shown !== null);
    const few = random.shuffled(allowed).slice(0, 2 + random.below(6));
    return { leaf, few: few.some(([, shown]) => shown !== null) ? few : allowed, mayLack };
  });
  return [...distinct].slice(0, random.of([0, 1, 5, 9, 15, 15, 15])).map(([shown, held]) => {
    const values: [string, string][] = [['key', held]];
    const truth: Record<string, Shown> = {};
    for (const { leaf, few, mayLack } of pools) {
      const lacks = mayLack && random.is(leaf.required ? 0.08 : 0.15);
      const [text, value] = lacks ? (['null', null] as const) : random.of(few);
      truth[leaf.name] = value;
      if (!lacks || random.is(0.6)) values.push([places.get(leaf.name)!, text]);
    }
    const native = String(JSON.parse(held)).trim();
    return { native, held: recordText(values), truth: { ...truth, id: model.start + shown } };
  });
}

function pushedOperatorsOf(
  random: Random,
  model: Model,
  codings: ReadonlyMap<string, Coding>,
  isStrong: boolean,
): readonly Push[] {
  const all = model.filters.flatMap(({ field, is }): Push[] => {
    const leaf = model.item.find(({ name }) => name === field)!;
    const op = OPERATORS[is];
    // A scan that a boolean or one of several values narrows is rare otherwise.
    const isLeft = random.is(leaf.kind === 'boolean' ? 0.5 : op === 'in' ? 0.25 : 0);
    const can = !isLeft && op !== undefined && (leaf.kind === 'id' || codings.get(field)?.isAskable === true);
    const exactness = isStrong || random.is(0.6) ? 'exact' : 'superset';
    return can ? [{ leaf, op, exactness, separator: random.of([',', '|', undefined]) }] : [];
  });
  return random.some(all, isStrong ? 1 : random.of([0, 0.7, 1]));
}

/** A source of a resource with anything that it may have and do. */
export function randomResource(random: Random, model: Model, idKinds: IdKinds): SourceResource {
  const idKind = idKinds.get(model.name)!;
  const codings = codingsOf(random, model, idKinds);
  const places = new Map(
    [...codings.keys()].map((name, at) => [name, random.is(0.2) ? `in.c${at}` : `c${at}`]),
  );
  // One that sorts, filters, counts and pages itself, or one with any of this.
  const isStrong = random.is(0.5);
  const drops =
    !isStrong && random.is(0.5) && model.item.some(({ required, kind }) => required && kind !== 'id');
  const fails = !isStrong && !drops && random.is(0.2);
  const making = { model, idKind, codings, places, drops, fails };
  const order = random.of(['id', 'unknown', 'unknown'] as const);
  const made = rowsOf(random, making);
  const rows =
    order === 'id' ? [...made].sort((a, b) => compareIds(a.truth.id, b.truth.id, model.start)) : made;
  const sortable = [...new Set(['id', ...model.sorts, model.order.replace(/^-/, '')])];
  return {
    ...{ ...making, rows, order },
    window: fails
      ? 'none'
      : random.of(isStrong ? (['offset', 'page'] as const) : (['none', 'offset', 'page'] as const)),
    size: 2 + random.below(9),
    base: random.below(2),
    hasTotal: isStrong || random.is(0.6),
    sorts: random.some(sortable, isStrong ? 1 : random.of([0, 0.8, 1])),
    pushes: fails ? [] : pushedOperatorsOf(random, model, codings, isStrong),
  };
}
