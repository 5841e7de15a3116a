import type { ResourceQuality } from '../pipeline/quality.ts';

type View = ResourceQuality['views'][number];
type Field = View['fields'][number];

/** Puts what has the same name together; of each name, the order of its first. */
function together<T>(
  things: readonly T[],
  nameOf: (thing: T) => string,
  join: (a: T, b: T) => T,
): readonly T[] {
  const found = new Map<string, T>();
  for (const thing of things) {
    const name = nameOf(thing);
    const earlier = found.get(name);
    found.set(name, earlier === undefined ? thing : join(earlier, thing));
  }
  return [...found.values()];
}

const later = <T extends { readonly at: string }>(a: T, b: T) => (a.at > b.at ? a : b);

function joinFields(a: Field, b: Field): Field {
  const steps: Record<string, number> = { ...a.steps };
  for (const [step, count] of Object.entries(b.steps)) steps[step] = (steps[step] ?? 0) + count;
  return {
    ...b,
    null: a.null + b.null,
    missing: a.missing + b.missing,
    unreadable: a.unreadable + b.unreadable,
    steps,
  };
}

function joinViews(a: View, b: View): View {
  return {
    ...b,
    records: a.records + b.records,
    dropped: a.dropped + b.dropped,
    totalsLost: a.totalsLost + b.totalsLost,
    fields: together([...a.fields, ...b.fields], ({ field }) => field, joinFields),
  };
}

function joinResources(a: ResourceQuality, b: ResourceQuality): ResourceQuality {
  return {
    ...b,
    views: together([...a.views, ...b.views], ({ view }) => view, joinViews),
    contradicted: together([...a.contradicted, ...b.contradicted], ({ claim }) => claim, later),
    invalidReplies: together(
      [...a.invalidReplies, ...b.invalidReplies],
      ({ reason }) => reason,
      (one, other) => ({ ...one, count: one.count + other.count, last: later(one.last, other.last) }),
    ),
  };
}

/** The quality of each resource over several processes; files and lines are those of the last. */
export function mergeQuality(reports: readonly (readonly ResourceQuality[])[]): readonly ResourceQuality[] {
  return together(reports.flat(), ({ source, resource }) => `${resource} of ${source}`, joinResources);
}
