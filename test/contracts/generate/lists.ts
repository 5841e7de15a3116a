import type { Leaf, ListOf } from '../oracle/model.ts';
import { type Element, listOf, objectOf, type Scalar, type Shown } from '../oracle/values.ts';
import type { Random } from './random.ts';
import type { Coding } from './pools.ts';

/** An element as JSON, and as clients see it; `null` if it is none. */
type Made = readonly [held: string, shown: Element | null];

/** Makes the coding of an element, or of a field of an object; a filter may ask for an element. */
type CodingOf = (leaf: Leaf, isAsked: boolean) => Coding;

const LISTS = 12;
/** What is no list, and what is no element of any kind. */
const NO_LISTS = ['"x"', '""', '{}', '5', 'true', '{"0":"a"}', '"[]"'];
const NO_ELEMENTS = ['null', '[]', '[null]'];

/** A record's JSON; a place with a point is within an object. */
export function recordText(values: readonly (readonly [place: string, held: string])[]): string {
  const inside = values.filter(([place]) => place.startsWith('in.'));
  const parts = values
    .filter(([place]) => !place.startsWith('in.'))
    .map(([place, held]) => `"${place}":${held}`);
  if (inside.length > 0)
    parts.push(`"in":{${inside.map(([place, held]) => `"${place.slice(3)}":${held}`).join(',')}}`);
  return `{${parts.join(',')}}`;
}

/** A value of a coding, rarely one that cannot be read. */
function valueOf(random: Random, { values }: Coding): readonly [held: string, shown: Scalar] {
  const all = values as readonly (readonly [string, Scalar])[];
  const known = all.filter(([, shown]) => shown !== null);
  return random.of(random.is(0.03) ? all : known);
}

/** Makes objects, whose fields stand anywhere in them, and may be absent or null. */
function objectsOf(random: Random, fields: readonly Leaf[], codingOf: CodingOf) {
  const parts = fields.map((leaf, at) => ({
    leaf,
    coding: codingOf(leaf, false),
    place: random.is(0.2) ? `in.e${at}` : `e${at}`,
    isUnmapped: !leaf.required && random.is(0.05),
  }));
  const map = parts.map(({ leaf, coding: { as }, place, isUnmapped }) => {
    const from = as.length === 0 ? place : { from: place, as };
    return [leaf.name, isUnmapped ? null : from];
  });
  const make = (): Made => {
    const held: [string, string][] = [];
    const shown: Record<string, Scalar | undefined> = {};
    for (const { leaf, coding, place, isUnmapped } of parts) {
      const lacks = random.is(leaf.required ? 0.02 : 0.2);
      const [text, value] = lacks ? (['null', null] as const) : valueOf(random, coding);
      const isOdd = !lacks && value === null;
      shown[leaf.name] = isUnmapped ? null : isOdd ? undefined : value;
      if (!lacks || random.is(0.5)) held.push([place, text]);
    }
    return [recordText(held), objectOf(fields, shown)];
  };
  return { each: { map: Object.fromEntries(map) as Record<string, unknown> }, make };
}

/** Makes lists of all sizes: empty ones, ones with elements that are none, and ones with more elements than allowed. */
export function listCoding(random: Random, list: ListOf, codingOf: CodingOf): Coding {
  const { max, of } = list;
  const coding = 'kind' in of ? codingOf(of, true) : undefined;
  const { each, make } =
    'kind' in of
      ? { each: coding!.as.length > 0 ? { as: coding!.as } : undefined, make: () => valueOf(random, coding!) }
      : objectsOf(random, of, codingOf);
  const some = (size: number) =>
    Array.from({ length: size }, (): Made => (random.is(0.03) ? [random.of(NO_ELEMENTS), null] : make()));
  const usual = () => some(Math.min(max, random.below(5)));
  const most = Math.min(max, 4);
  const tooMany = Array.from({ length: max + 1 }, () => some(1)[0]!);
  const lists = [[], some(most), tooMany, ...Array.from({ length: LISTS }, usual)];
  const values = lists.map((elements): readonly [string, Shown] => [
    `[${elements.map(([held]) => held).join(',')}]`,
    listOf(
      list,
      elements.map(([, shown]) => shown),
    ),
  ]);
  return {
    ...{ as: [], values: [...values, [random.of(NO_LISTS), null]], read: (text) => text, isAskable: false },
    ...(each && { each }),
  };
}
