import { filtersOf, type Ask } from './ask.ts';
import type { Breaks, Store } from './start-service.ts';
import type { Stages } from './stages.ts';
import type { ShapeName } from './traits.ts';

/** A service that breaks one claim of its file in one way. */
export type FaultyService = {
  /** What is broken, and when: `total: one too many, only with a filter`. */
  readonly name: string;
  readonly shape: ShapeName;
  readonly breaks: Breaks;
  /** Whether the service is correct until somebody writes. */
  readonly afterWrite: boolean;
  /** Why nobody can see it from outside, if that is so: no reply that a tool can ask for shows it. */
  readonly unseen?: string;
  /** Whether the rows themselves are wrong. Then no disabled claim can correct the answers, and only doctor finds it. */
  readonly inValues?: boolean;
  /** Whether it runs in `npm test` too. */
  readonly fast?: boolean;
};

/** Decides for each question whether the service breaks its claim. */
export type When = (ask: Ask, store: Store) => boolean;

/** The times at which a service may break its claim, by name. */
export const whens = {
  always: () => true,
  'every third time': ({ number }) => number % 3 === 0,
  'every seventh time': ({ number }) => number % 7 === 0,
  'only behind page 3': ({ first }, { traits }) => first >= 3 * traits.sizeMax,
  'only on the first page': ({ first, after }) => first === 0 && after === undefined,
  'only on the last page': ({ first, size }, { records }) => first + size >= records.length,
  'only for odd sizes': ({ size }) => size % 2 === 1,
  'only for small sizes': ({ size }) => size < 5,
  'only for the largest size': ({ size }, { traits }) => size === traits.sizeMax,
  'only at a large offset': ({ first }) => first >= 100,
  'only at odd offsets': ({ first }) => first % 2 === 1,
  'only with a filter': (ask) => filtersOf(ask) > 0,
  'only without a filter': (ask) => filtersOf(ask) === 0,
  'only with two filters': (ask) => filtersOf(ask) > 1,
  'only with all three filters': (ask) => filtersOf(ask) === 3,
  'only with a filter and a sort': (ask) => filtersOf(ask) > 0 && ask.sort !== undefined,
  'only with a filter, behind the first page': (ask) => filtersOf(ask) > 0 && ask.first > 0,
  'only with a category': ({ category }) => category !== undefined,
  'only with a lower bound': ({ low }) => low !== undefined,
  'only with an upper bound': ({ high }) => high !== undefined,
  'only with a sort': ({ sort }) => sort !== undefined,
  'only without a sort': ({ sort }) => sort === undefined,
  'only descending': ({ sort }) => sort?.descending === true,
  'only ascending': ({ sort }) => sort?.descending === false,
  'only after a write': ({ writes }) => writes > 0,
  'only for upper case': ({ category }) => category !== undefined && /^[A-Z]/.test(category),
  'only for values with a blank': ({ category }) => category?.includes(' ') === true,
  'only for values outside of ASCII': ({ category }) => category !== undefined && /[^ -~]/.test(category),
  'only for values of digits': ({ category }) => category !== undefined && /^\d+$/.test(category),
} as const satisfies Readonly<Record<string, When>>;

/** The name of such a time. */
export type WhenName = keyof typeof whens;

/** Steps that replace the correct ones, but only if `when` says so. */
function breaksWhen(when: When, breaks: Breaks): Breaks {
  return (correct, store) => {
    const broken = breaks(correct, store);
    const chosen = Object.entries(broken).map(([name, step]) => {
      const kept = correct[name as keyof Stages] as (ask: Ask, ...rest: unknown[]) => unknown;
      const other = step as typeof kept;
      return [name, (ask: Ask, ...rest: unknown[]) => (when(ask, store) ? other : kept)(ask, ...rest)];
    });
    return Object.fromEntries(chosen) as Partial<Stages>;
  };
}

/** One way to break a claim. The first shape has a row for each time, the other shapes one for the first time. */
export type FaultySpec = {
  /** The claim, and how it is broken. */
  readonly what: string;
  readonly breaks: Breaks;
  readonly shapes: readonly ShapeName[];
  /** Default: `always`. */
  readonly when?: readonly WhenName[];
  /** Whether the rows themselves are wrong. */
  readonly inValues?: boolean;
  /** Times at which nobody can see it, with the reason. */
  readonly unseen?: Partial<Record<WhenName, string>>;
  /** Times at which it runs in `npm test` too, on the first of its services. */
  readonly fast?: readonly WhenName[];
};

/** The services that break a claim in one way: one for each time and shape. */
export function faultyServices({
  what,
  breaks,
  shapes,
  when = ['always'],
  inValues = false,
  unseen = {},
  fast = [],
}: FaultySpec): readonly FaultyService[] {
  return shapes.flatMap((shape, index) =>
    (index === 0 ? when : when.slice(0, 1)).map((name) => ({
      name: `${what}, ${name} (${shape})`,
      shape,
      breaks: breaksWhen(whens[name], breaks),
      afterWrite: name === 'only after a write',
      ...(inValues && { inValues }),
      ...(unseen[name] !== undefined && { unseen: unseen[name] }),
      ...(index === 0 && fast.includes(name) && { fast: true }),
    })),
  );
}
