// Generates the orders of the sample order desk.

import { createRandom, type Random } from './random.ts';

/** An order as the legacy system stores and shows it: German names, German numbers and dates, all text. */
export type LegacyOrder = ReturnType<typeof generateOrders>[number];

/** Generates `count` orders (40 by default), numbered from 1. */
export function generateOrders({ seed, count = 40 }: { seed: number; count?: number }) {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => ({
    AUFTRAGS_NR: String(index + 1).padStart(10, '0'),
    // `dd.mm.yyyy`.
    DATUM: `${twoDigits(1 + random.below(28))}.${twoDigits(1 + random.below(12))}.${2004 + random.below(5)}`,
    STATUS_KZ: random.pick(['OFFEN', 'GELIEFERT', 'STORNIERT']),
    KUNDE: { KD_NR: String(1 + random.below(9_999)) },
    POSITIONEN: Array.from({ length: 1 + random.below(3) }, () => item(random)),
  }));
}

function item(random: Random) {
  return {
    ART_NR: String(1 + random.below(9_999)).padStart(8, '0'),
    MENGE: `${1 + random.below(12)},000`,
    PREIS: `${random.below(900)},${twoDigits(random.below(100))}`,
  };
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
