import fc from 'fast-check';

/** Between both are halves of surrogate pairs, which are no characters. */
const [BELOW, ABOVE] = [0xd7ff, 0xe000];
const HALVES = ABOVE - BELOW - 1;

function placeOf(text: unknown): number {
  const point = String(text).codePointAt(0) ?? -1;
  if (typeof text !== 'string' || String.fromCodePoint(point) !== text) throw new Error('not one character');
  return point > BELOW ? point - HALVES : point;
}

/**
 * Any character of Unicode: the unit `binary` of fast-check, case by case. That one makes a map of a million characters
 * in each process: a second of CPU time, and 140 MB to look through whenever garbage is collected.
 */
export const anyCharacter = fc
  .nat({ max: 0x10ffff - HALVES })
  .map((place) => String.fromCodePoint(place > BELOW ? place + HALVES : place), placeOf);
