// Guesses from two different values why they differ, such as by letter case or time zone, so that operators find the cause.

import { Decimal } from '../../kernel/decimal.ts';
import type { ComparedValue } from './comparison.ts';

/** Time zones differ from UTC by quarters of an hour, and by 14 hours at most. */
const ZONE_STEP_MS = 15 * 60_000;
const ZONE_MS_MAX = 14 * 3_600_000;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** The names of all hints. `numeric-equal`: the same number with other digits, such as 1.5 and 1.50. */
export const differenceHints = [
  ...(['numeric-equal', 'precision', 'tz-shift', 'unicode-form'] as const),
  ...(['whitespace', 'case-only', 'truncated', 'reordered'] as const),
] as const;

/** Why two values probably differ. */
export type DifferenceHint = (typeof differenceHints)[number];

const words = (text: string) =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.sort()
    .join(' ') ?? '';

/** The recognised relations of two texts. The first relation that holds is the hint. */
const TEXT_HINTS: readonly (readonly [name: DifferenceHint, holds: (a: string, b: string) => boolean])[] = [
  ['unicode-form', (a, b) => a.normalize('NFC') === b.normalize('NFC')],
  ['whitespace', (a, b) => a.replaceAll(/\s+/g, '') === b.replaceAll(/\s+/g, '')],
  ['case-only', (a, b) => a.toLowerCase() === b.toLowerCase()],
  ['truncated', (a, b) => a !== '' && b !== '' && (a.startsWith(b) || b.startsWith(a))],
  ['reordered', (a, b) => words(a) !== '' && words(a) === words(b)],
];

function instantHint(a: string, b: string): DifferenceHint | undefined {
  if (!INSTANT.test(a) || !INSTANT.test(b)) return undefined;
  const apartMs = Math.abs(Date.parse(a) - Date.parse(b));
  if (apartMs < 1_000) return 'precision';
  return apartMs <= ZONE_MS_MAX && apartMs % ZONE_STEP_MS === 0 ? 'tz-shift' : undefined;
}

function numberHint(a: Decimal, b: Decimal): DifferenceHint | undefined {
  if (a.compare(b) === 0) return 'numeric-equal';
  const scale = Math.min(a.scale, b.scale);
  const cut = ({ digits, scale: own }: Decimal) => digits / 10n ** BigInt(own - scale);
  const apart = cut(a) - cut(b);
  return a.scale !== b.scale && apart >= -1n && apart <= 1n ? 'precision' : undefined;
}

/** Why two values probably differ, such as `case-only`; `undefined` if nothing is recognised. */
export function hintOf(
  legacy: ComparedValue | undefined,
  newValue: ComparedValue | undefined,
): DifferenceHint | undefined {
  if (legacy instanceof Decimal && newValue instanceof Decimal) return numberHint(legacy, newValue);
  if (typeof legacy !== 'string' || typeof newValue !== 'string') return undefined;
  return instantHint(legacy, newValue) ?? TEXT_HINTS.find(([, holds]) => holds(legacy, newValue))?.[0];
}
