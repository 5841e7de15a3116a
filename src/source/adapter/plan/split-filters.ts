import { type Filter, isPushable } from '../../../contract/query.ts';
import { hasUnprintable } from '../../../kernel/control-characters.ts';
import { NO_MATCH } from './inverse.ts';
import type { RequestPart } from '../request/combine-parts.ts';
import type { Capability } from '../spec/capability.ts';
import type { FilterPush } from './push-down.ts';

/** A pushed filter with its request part. */
export type PushedFilter = { readonly filter: Filter; readonly push: FilterPush; readonly part: RequestPart };

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
function isOff({ field, op }: Filter, { capability }: FilterPush, off: ReadonlySet<Capability>): boolean {
  const both = op === 'eq' ? [capability] : [`filter.${field}.ge`, `filter.${field}.le`];
  return both.some((one) => off.has(one));
}

type PushableFilter = Extract<Filter, { readonly op: 'eq' | 'ge' }>;

const canPush = (filter: Filter): filter is PushableFilter => isPushable(filter.op);

/** Splits filters into those that the source does, without disabled claims, and those that the gateway does. */
export function splitFilters(
  filters: readonly Filter[],
  pushes: ReadonlyMap<string, FilterPush>,
  off: ReadonlySet<Capability>,
): Split {
  let matchesNone = false;
  const wanted: PushedFilter[] = [];
  for (const filter of filters) {
    // No label holds such a text, so no source is asked for it.
    if (filter.op === 'eq' && typeof filter.value === 'string' && hasUnprintable(filter.value))
      matchesNone = true;
    const push = pushes.get(`${filter.field}.${filter.op}`);
    const part =
      push === undefined || !canPush(filter) || isOff(filter, push, off)
        ? undefined
        : push.part(filter.value);
    if (part === NO_MATCH) matchesNone = true;
    else if (part !== undefined && push !== undefined) wanted.push({ filter, push, part });
  }
  const pushed = apart(combinable(wanted));
  const exact = new Set(pushed.filter(({ push }) => push.exact).map(({ filter }) => filter));
  return { pushed, residual: filters.filter((filter) => !exact.has(filter)), matchesNone };
}
