import type { Comparison, DifferenceSample } from '../../../src/migration/compare/comparison.ts';

/** A comparison of a single user at which nothing was different, with what a test says of it. */
export function comparison(query: string, changed: Partial<Comparison> = {}): Comparison {
  return {
    ...{ resource: 'users', operation: 'users.get', query, verdict: 'match' },
    ...{ differences: [], ignored: [], legacyMs: 12, newMs: 18 },
    ...changed,
  };
}

/** A confirmed difference of one record, without values. */
export function difference(path: string, key: string): DifferenceSample {
  return {
    path,
    kind: 'value',
    key,
    legacy: { type: 'string', length: 3 },
    new: { type: 'string', length: 4 },
  };
}

/** A comparison in which the new source had said something else first, and has changed it at once. */
export function transient(
  query: string,
  { path = 'data.email', isAtOnce = true }: { readonly path?: string; readonly isAtOnce?: boolean } = {},
): Comparison {
  const differences = [difference(path, `h:${query}`)];
  const verdict = 'transient';
  return comparison(query, { verdict, transient: { differences, isAtOnce, isGiven: isAtOnce } });
}

/** A comparison that has confirmed a difference of a user. */
export function mismatch(query: string, path = 'data.name'): Comparison {
  return comparison(query, { verdict: 'mismatch', differences: [difference(path, `h:${query}`)] });
}
