// Generates the products of the sample catalogue, with the faults that old data have.

import { type CategoryCode, categories, goods, qualities, slogans } from './product-words.ts';
import { createRandom, noText, padded, type Random } from './random.ts';

/** The correct v1 record of a row, with the price as exact decimal text. */
export type ProductTruth = Readonly<ReturnType<typeof truthOf>>;

/** A catalogue row as the legacy system stores it. `buyPrc` and `supplierKey` are secret. */
export type LegacyProduct = Readonly<ReturnType<typeof dirtied>>;

/** One generated product: the correct record, and the legacy row. */
export type SampleProduct = { readonly truth: ProductTruth; readonly legacy: LegacyProduct };

type Ware = Readonly<ReturnType<typeof invent>>;

/** More than the eight digits of a sku; the last is not exact as a double. */
const WIDE_NUMBERS = [100_000_017n, 9_007_199_254_740_993n];

/** Prices that break sloppy decimal arithmetic, by the position of the product. */
const EDGE_CENTS = new Map([
  [2, '0'],
  [5, '5'],
  [11, '50'],
  [17, '900719925474099312'],
]);

const COMMON_CENTS = ['999', '1999', '2000', '4950', '12900', '100'];

/** Generates `count` products (2000 by default), `sku` ascending with gaps, the last two wider than eight digits. */
export function generateProducts({ seed, count = 2_000 }: { seed: number; count?: number }): SampleProduct[] {
  const random = createRandom(seed);
  const wide = WIDE_NUMBERS.slice(0, count);
  const numbers = [...random.ascending(count - wide.length, 6).map(BigInt), ...wide];
  return numbers.map((number, position) => {
    const ware = invent(random, number, position);
    return { truth: truthOf(ware), legacy: dirtied(random, ware) };
  });
}

function invent(random: Random, number: bigint, position: number) {
  const kind = inventCategory(random);
  return {
    number,
    name: `${random.pick(qualities)} ${random.pick(goods[kind])}`,
    text: random.chance(0.15) ? null : random.pick<string>(slogans),
    cents: EDGE_CENTS.get(position) ?? inventCents(random),
    code: random.chance(0.06) ? null : kind,
  };
}

function inventCategory(random: Random): CategoryCode {
  if (random.chance(0.01)) return 'CLO';
  return random.pick(['ELC', 'FUR', 'HOM', 'TOY', 'BOK', 'GRO', 'SPO']);
}

function inventCents(random: Random): string | null {
  if (random.chance(0.05)) return null;
  return random.chance(0.4) ? random.pick(COMMON_CENTS) : String(1 + random.below(500_000));
}

function truthOf(ware: Ware) {
  return {
    id: `prod_${ware.number}`,
    name: ware.name,
    description: ware.text,
    // Always with two decimals, such as "0.50".
    price: ware.cents === null ? null : decimal(ware.cents),
    category: ware.code === null ? null : categories[ware.code],
  };
}

function decimal(cents: string): string {
  const digits = cents.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function dirtied(random: Random, ware: Ware) {
  return {
    // Digits, padded with zeros to at least 8.
    sku: ware.number.toString().padStart(8, '0'),
    nm: padded(random, ware.name),
    txt: ware.text ?? noText(random),
    // Whole cents, or "not known".
    prc: ware.cents ?? random.pick(['', null, 'n/a']),
    cc: ware.code ?? random.pick([null, undefined, 'ZZZ', 'OLD']),
    buyPrc: String(random.below(100_000)),
    supplierKey: `SUP-${100 + random.below(900)}`,
  };
}
