// Splits the filters of a query into those that the source applies and those that are left to the gateway.

import type { Filter } from '../../../contract/query.ts';
import type { KnownValue } from '../../../contract/list-value.ts';
import { hasUnprintable } from '../../../kernel/control-characters.ts';
import type { Decimal } from '../../../kernel/decimal.ts';
import { NO_MATCH } from './inverse.ts';
import type { RequestPart } from '../request/combine-parts.ts';
import type { Capability } from '../spec/capability.ts';
import type { FilterPush } from './push-down.ts';

/** A pushed filter with its request part. */
export type PushedFilter = {
  /** The filter that the source is asked for. */
  readonly filter: PushableFilter;
  /** The filter that the caller asked for, which may match fewer records. */
  readonly asked: Filter;
  readonly push: FilterPush;
  readonly part: RequestPart;
};

type PushableFilter = { readonly field: string } & (
  | { readonly op: 'eq'; readonly value: KnownValue }
  | { readonly op: 'in'; readonly value: readonly KnownValue[] }
  | { readonly op: 'ge' | 'le'; readonly value: string | Decimal }
);

/** The narrowest filter that a source can apply and that every wanted record passes; `undefined` if there is none. */
function pushable(
  asked: Filter,
  pushes: ReadonlyMap<string, FilterPush>,
  off: ReadonlySet<Capability>,
): PushableFilter | undefined {
  const { field } = asked;
  switch (asked.op) {
    case 'known':
      return undefined;
    case 'in': {
      const several = pushes.get(`${field}.in`);
      if (several !== undefined && !off.has(several.capability)) return asked;
      const [value, ...others] = asked.value;
      const isOne = value !== undefined && others.every((other) => String(other) === String(value));
      return isOne ? { field, op: 'eq', value } : undefined;
    }
    case 'gt':
      return { field, op: 'ge', value: asked.value };
    case 'lt':
      return { field, op: 'le', value: asked.value };
    default:
      return asked as PushableFilter;
  }
}

/** The filters that the source applies (`pushed`), and those that the gateway applies (`residual`). */
export type Split = {
  readonly pushed: readonly PushedFilter[];
  readonly residual: readonly Filter[];
  /** Whether it is certain that no record can match. */
  readonly matchesNone: boolean;
};

/**
 * Keeps filters that fit one path. One with its own path excludes others, unless it combines with those of the same or no path.
 */
function combinable(wanted: readonly PushedFilter[]): readonly PushedFilter[] {
  const own = wanted.find(({ part }) => part.path !== undefined);
  if (own === undefined) return wanted;
  if (!own.push.combines) return [own];
  const { path } = own.part;
  return wanted.filter(({ part, push }) => part.path === undefined || (part.path === path && push.combines));
}

/** The names of the query parameters that a filter writes. */
const namesOf = ({ part }: PushedFilter) => part.query.map((one) => one.slice(0, one.indexOf('=')));

/** Keeps only one filter of each query parameter, unless the source uses several values. The gateway applies the others. */
function withoutRepeatedNames(wanted: readonly PushedFilter[]): readonly PushedFilter[] {
  if (wanted.length < 2) return wanted;
  const once = new Set<string>();
  const all = new Set<string>();
  return wanted.filter((one) => {
    const names = namesOf(one);
    if (names.some((name) => (one.push.repeats ? once : all).has(name))) return false;
    for (const name of names) {
      all.add(name);
      if (!one.push.repeats) once.add(name);
    }
    return true;
  });
}

/** Whether the claim of a filter is disabled. Both bounds of a field depend on how the source compares its values. */
function isOff(
  { field, op }: PushableFilter,
  { capability }: FilterPush,
  off: ReadonlySet<Capability>,
): boolean {
  const both = op === 'eq' || op === 'in' ? [capability] : [`filter.${field}.ge`, `filter.${field}.le`];
  return both.some((one) => off.has(one));
}

/** Splits filters. The source applies only those whose claims are not disabled (`off`). */
export function splitFilters(
  filters: readonly Filter[],
  pushes: ReadonlyMap<string, FilterPush>,
  off: ReadonlySet<Capability>,
): Split {
  let matchesNone = false;
  const wanted: PushedFilter[] = [];
  for (const asked of filters) {
    const filter = pushable(asked, pushes, off);
    if (filter === undefined) continue;
    // No label holds such a text, so no source is asked for it.
    if (filter.op === 'eq' && typeof filter.value === 'string' && hasUnprintable(filter.value))
      matchesNone = true;
    const push = pushes.get(`${filter.field}.${filter.op}`);
    // If two filters use the same claim, the gateway applies the second.
    if (push === undefined || isOff(filter, push, off) || wanted.some((one) => one.push === push)) continue;
    const part = push.part(filter.value);
    if (part === NO_MATCH) matchesNone = true;
    else if (part !== undefined) wanted.push({ filter, asked, push, part });
  }
  const pushed = withoutRepeatedNames(combinable(wanted));
  const done = new Set<Filter>(
    pushed.flatMap(({ filter, asked, push }) =>
      push.exact && (filter.op === asked.op || asked.op === 'in') ? [asked] : [],
    ),
  );
  return { pushed, residual: filters.filter((filter) => !done.has(filter)), matchesNone };
}
