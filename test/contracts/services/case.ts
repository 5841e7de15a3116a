import type { Writes } from '../../upstreams/writers.ts';
import type { Random } from '../generate/random.ts';
import type { Truth } from '../oracle/oracle.ts';
import type { Scalar } from '../oracle/values.ts';

/** A record as a server keeps it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- JSON of a form that the case knows
export type Held = Readonly<Record<string, any>>;

/** What one of the servers keeps of a resource. */
export type KeptResource = {
  /** Its address at the server, which writes go to, too. */
  readonly list: string;
  /** The address that `portico infer` is given, if it is another one. */
  readonly inferred?: string;
  /** What clients must see of a record. */
  readonly truth: (held: Held) => Truth;
  readonly idOf: (held: Held) => string;
  readonly writes: Writes;
};

/** A server of the npm registry with resources of its own; its files are in the folder with its name. */
export type ServiceCase = {
  /** The folder of `test/upstreams` that says which packages it needs. */
  readonly server: string;
  /** The package that is named with its version. */
  readonly product: string;
  readonly resources: Readonly<Record<string, KeptResource>>;
  /** The public id that a draft gives to a record, if it is another one. */
  readonly draftId?: (id: string) => string;
  /** What it has at first, by the name of the resource. */
  readonly data: (random: Random) => Readonly<Record<string, readonly Held[]>>;
};

/** A number or a boolean as clients see it; what the server has of another type is unknown. */
export const numberText = (value: unknown): Scalar => (typeof value === 'number' ? String(value) : null);
/** A whole number as clients see it. */
export const wholeText = (value: unknown): Scalar => (Number.isInteger(value) ? String(value) : null);
/** A truth value as clients see it. */
export const flagText = (value: unknown): Scalar => (typeof value === 'boolean' ? String(value) : null);
/** A text as clients see it. */
export const textText = (value: unknown): Scalar => (typeof value === 'string' ? value : null);

/** An instant as clients see it, of milliseconds or of a text with its offset. */
export function instantText(value: unknown): Scalar {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  return new Date(value).toISOString().replace('.000Z', 'Z');
}

/** A day as clients see it; there is no 30th of February. */
export function dayText(value: unknown): Scalar {
  const ms = typeof value === 'string' ? Date.parse(`${value}T00:00:00Z`) : NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === value ? value : null;
}

/** One of some values, or what stands in for it, now and then. */
export const mostly = <T, U>(random: Random, value: T, other: U, chance = 0.1): T | U =>
  random.is(chance) ? other : value;

const TOWNS = ['Köln', 'Bonn', 'İzmir', 'São Paulo', "L'Aquila", 'bonn', 'Z', 'Åre', 'A & B'];
const NAMES = ['Ada', 'Zoë', 'zoe', 'Jürgen', "O'Brien", 'Anna "Ace"', '李', 'Ömer', 'E\u0301va', 'Éva'];

/** The name of a place. */
export const town = (random: Random) => random.of(TOWNS);
/** The name of a person. */
export const person = (random: Random) => random.of(NAMES);
/** An instant of the years 2023 to 2025, in milliseconds; many fall on the same few days. */
export function moment(random: Random): number {
  const day = Date.UTC(2023 + random.below(3), random.below(12), 1 + random.below(4));
  return day + random.of([0, 1, 36_000_000, 86_399_999, 43_200_000 + random.below(1_000) * 1_000]);
}
/** A day of these years. */
export const day = (random: Random) => new Date(moment(random)).toISOString().slice(0, 10);

/** Different whole numbers above zero, in no order. */
export function numbers(random: Random, count: number): readonly number[] {
  let last = 0;
  return random.shuffled(Array.from({ length: count }, () => (last += 1 + random.below(7))));
}

/** Different ids of version 4. */
export function uuids(random: Random, count: number): readonly string[] {
  const hex = (length: number) => Array.from({ length }, () => random.below(16).toString(16)).join('');
  return Array.from({ length: count }, () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`);
}
