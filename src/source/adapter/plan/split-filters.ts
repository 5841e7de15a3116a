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
  /** What the source is asked for. */
  readonly filter: PushableFilter;
  /** What the caller asked for, which may be less. */
  readonly asked: Filter;
  readonly push: FilterPush;
  readonly part: RequestPart;
};

type PushableFilter = { readonly field: string } & (
  | { readonly op: 'eq'; readonly value: KnownValue }
  | { readonly op: 'ge' | 'le'; readonly value: string | Decimal }
);

/** The narrowest filter that a source may be asked for and that no record which is wanted fails; `undefined` if there is none. */
function pushable(asked: Filter): PushableFilter | undefined {
  const { field } = asked;
  switch (asked.op) {
    case 'known':
      return undefined;
    case 'in': {
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

/** The filters that the source does, and those that are left to the gateway. */
export type Split = {
  readonly pushed: readonly PushedFilter[];
  readonly residual: readonly Filter[];
  /** No record can match. */
  readonly matchesNone: boolean;
};

/** A filter with a path of its own excludes other filters, unless it combines with filters of the same path or of none. */
function combinable(wanted: readonly PushedFilter[]): readonly PushedFilter[] {
  const own = wanted.find(({ part }) => part.path !== undefined);
  if (own === undefined) return wanted;
  if (!own.push.combines) return [own];
  const { path } = own.part;
  return wanted.filter(({ part, push }) => part.path === undefined || (part.path === path && push.combines));
}

const namesOf = ({ part }: PushedFilter) => part.query.map((one) => one.slice(0, one.indexOf('=')));

/** Two filters of one parameter are sent together only if the source uses both values. Otherwise the gateway does the second. */
function apart(wanted: readonly PushedFilter[]): readonly PushedFilter[] {
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
  const both = op === 'eq' ? [capability] : [`filter.${field}.ge`, `filter.${field}.le`];
  return both.some((one) => off.has(one));
}

/** Splits filters into those that the source does, without disabled claims, and those that the gateway does. */
export function splitFilters(
  filters: readonly Filter[],
  pushes: ReadonlyMap<string, FilterPush>,
  off: ReadonlySet<Capability>,
): Split {
  let matchesNone = false;
  const wanted: PushedFilter[] = [];
  for (const asked of filters) {
    const filter = pushable(asked);
    if (filter === undefined) continue;
    // No label holds such a text, so no source is asked for it.
    if (filter.op === 'eq' && typeof filter.value === 'string' && hasUnprintable(filter.value))
      matchesNone = true;
    const push = pushes.get(`${filter.field}.${filter.op}`);
    // Of two filters that are asked for in one way, the gateway does the second.
    if (push === undefined || isOff(filter, push, off) || wanted.some((one) => one.push === push)) continue;
    const part = push.part(filter.value);
    if (part === NO_MATCH) matchesNone = true;
    else if (part !== undefined) wanted.push({ filter, asked, push, part });
  }
  const pushed = apart(combinable(wanted));
  const done = new Set<Filter>(
    pushed.flatMap(({ filter, asked, push }) =>
      push.exact && (filter.op === asked.op || asked.op === 'in') ? [asked] : [],
    ),
  );
  return { pushed, residual: filters.filter((filter) => !done.has(filter)), matchesNone };
}
