/**
 * An id as careless sources compare it: without compatibility forms, case, accents' composition, white space around it
 * and in runs, a leading plus sign and leading zeros.
 */
function folded(native: string): string {
  const plain = native.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  const text = plain.replaceAll(/\s+/g, ' ').trim();
  // Two steps, each in time with the length: one pattern for both would try every zero again and again.
  const digits = /^\+?(\d+)$/.exec(text)?.[1];
  return digits === undefined ? text : digits.replace(/^0+(?=\d)/, '');
}

/** Whether two native ids are one for a source that folds what it is asked. */
export function isSameFolded(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && folded(a) === folded(b);
}
