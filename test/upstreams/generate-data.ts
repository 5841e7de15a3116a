import { cultures, eastAsian, bios, emojiNames, towns } from '../../src/cli/demo/data/people-words.ts';
import { goods, qualities, slogans } from '../../src/cli/demo/data/product-words.ts';
import { createRandom, type Random } from '../../src/cli/demo/data/random.ts';

/** A user as every server is given it, to be kept in the server's own form. */
export type DataUser = {
  /** 1 to 2^31 - 1; in no order, as all records. */
  readonly id: number;
  /** An id of another kind, for servers whose ids are no numbers. Version 4, lower case. */
  readonly uuid: string;
  readonly given_name: string;
  readonly family_name: string;
  readonly email: string | null;
  /** `YYYY-MM-DDTHH:mm:ss[.sss]Z`, never with `.000`. */
  readonly created_at: string;
  readonly bio: string | null;
  readonly location: string | null;
  readonly avatar_url: string | null;
};

/** A product as every server is given it. */
export type DataProduct = {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly description: string | null;
  /** At most 14 digits, two of them behind the point, so that a double holds it. */
  readonly price: string | null;
  readonly category: string;
};

/** The file that a server reads from `DATA`. */
export type UpstreamData = { readonly users: readonly DataUser[]; readonly products: readonly DataProduct[] };

const USERS = 260;
const PRODUCTS = 320;

/** The largest id of most databases' plain integers. */
const ID_MAX = 2_147_483_647;

/** Names that break code which puts them between quotes, or between tags, without escaping them. */
const oddNames = [
  "O'Brien",
  'Anna "Ace"',
  'C:\\Temp',
  '<b>Max</b> &amp; Co',
  '100% +1',
  'null',
  'Zoe',
  'Zoë',
];

/** Labels that mean something to some query language; some differ in case or accent only. */
const categories = [
  ...[
    'Toys',
    'toys',
    'Home & Garden',
    'Books',
    'Café',
    'Cafe',
    "Kids' Shoes",
    '"Top" Offers',
    '50% off + more',
  ],
  ...[
    'a\\b',
    '<New>',
    'A,B;C',
    'Tea (loose)',
    'x/y?z#1',
    '007',
    'true',
    'null',
    '{id}',
    '$price',
    'eq or 1',
    '茶',
  ],
];

const commonPrices = ['9.99', '19.90', '19.99', '20.00', '49.50', '100.00'];
const edgePrices = ['0.00', '0.01', '0.10', '1.00', '10.00', '999999999999.99', '123456789.10'];

/** Before the epoch, at its edges, with a part of a second, and on a leap day. */
const edgeInstants = [
  ...['1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z', '2038-01-19T03:14:08Z', '2024-02-29T12:00:00Z'],
  ...['2024-02-29T12:00:00.120Z', '2024-02-29T12:00:00.001Z'],
];

function inventUuid(random: Random): string {
  const digits = (count: number) =>
    Array.from({ length: count }, () => random.below(16).toString(16)).join('');
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${random.pick(['8', '9', 'a', 'b'])}${digits(3)}-${digits(12)}`;
}

function inventName(random: Random): { given_name: string; family_name: string } {
  const { given, family } = random.chance(0.1) ? eastAsian : random.pick(cultures);
  const first = random.chance(0.08) ? random.pick([...emojiNames, ...oddNames]) : random.pick(given);
  const last = random.chance(0.05) ? random.pick(oddNames) : random.pick(family);
  // The same name typed on different machines: equal to a reader, different in bytes.
  const form = random.chance(0.15) ? 'NFD' : 'NFC';
  return { given_name: first.normalize(form), family_name: last.normalize(form) };
}

function inventInstant(random: Random): string {
  if (random.chance(0.08)) return random.pick(edgeInstants);
  const day = Date.UTC(2019, 0, 1) + random.below(1_200) * 86_400_000;
  const moment = random.chance(0.5) ? day : day + random.below(86_400_000);
  const whole = random.chance(0.7) ? moment - (moment % 1_000) : moment;
  return new Date(whole).toISOString().replace('.000Z', 'Z');
}

function inventUser(random: Random, id: number): DataUser {
  const maybe = (text: string) => (random.chance(0.2) ? null : text);
  const local = random.chance(0.5) ? `Person.${id}` : `person.${id}`;
  return {
    id,
    uuid: inventUuid(random),
    ...inventName(random),
    email: maybe(random.chance(0.1) ? 'info@firma.example' : `${local}@${random.pick(['a', 'b'])}.example`),
    created_at: inventInstant(random),
    bio: maybe(random.pick(bios)),
    location: maybe(random.pick(towns)),
    avatar_url: maybe(`https://img.example/${id}.jpg?size=80&crop=1`),
  };
}

function inventPrice(random: Random): string {
  if (random.chance(0.12)) return random.pick(edgePrices);
  if (random.chance(0.4)) return random.pick(commonPrices);
  return (random.below(20_000) / 100).toFixed(2);
}

function inventProduct(random: Random, id: number): DataProduct {
  const kind = random.pick(Object.values(goods));
  const odd = random.chance(0.05) ? ` ${random.pick(oddNames)}` : '';
  return {
    id,
    uuid: inventUuid(random),
    name: `${random.pick(qualities)} ${random.pick(kind)}${odd}`,
    description: random.chance(0.2) ? null : random.pick(slogans),
    price: random.chance(0.06) ? null : inventPrice(random),
    category: random.pick(categories),
  };
}

/** The ids of so many records: with gaps, one of them the largest there may be, in no order. */
function ids(random: Random, count: number): number[] {
  const shuffled = [...random.ascending(count - 1, 5), ID_MAX].map((id) => ({
    id,
    at: random.below(1_000_000),
  }));
  return shuffled.sort((a, b) => a.at - b.at).map(({ id }) => id);
}

/** Users and products of a seed. Every category and every edge of a price is there. */
export function generateData(seed: number): UpstreamData {
  const random = createRandom(seed);
  const users = ids(random, USERS).map((id) => inventUser(random, id));
  const products = ids(random, PRODUCTS).map((id, at) => ({
    ...inventProduct(random, id),
    ...(at < categories.length && { category: categories[at]! }),
    ...(at < edgePrices.length && { price: edgePrices[at]! }),
  }));
  return { users, products };
}
