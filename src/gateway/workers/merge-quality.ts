// Merges the quality reports of several workers (how well the replies of each source fit its file) for a primary, because each
// worker sees only some of the replies.

import type { ResourceQuality } from '../../pipeline/quality.ts';

type View = ResourceQuality['views'][number];
type Field = View['fields'][number];

/** Merges items with the same key. The order is that of the first item of each key. */
function mergeByKey<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  merge: (a: T, b: T) => T,
): readonly T[] {
  const merged = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    const earlier = merged.get(key);
    merged.set(key, earlier === undefined ? item : merge(earlier, item));
  }
  return [...merged.values()];
}

const latest = <T extends { readonly at: string }>(a: T, b: T) => (a.at > b.at ? a : b);

function mergeFields(a: Field, b: Field): Field {
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

function mergeViews(a: View, b: View): View {
  return {
    ...b,
    records: a.records + b.records,
    dropped: a.dropped + b.dropped,
    totalsLost: a.totalsLost + b.totalsLost,
    fields: mergeByKey([...a.fields, ...b.fields], ({ field }) => field, mergeFields),
  };
}

function mergeResources(a: ResourceQuality, b: ResourceQuality): ResourceQuality {
  return {
    ...b,
    views: mergeByKey([...a.views, ...b.views], ({ view }) => view, mergeViews),
    contradicted: mergeByKey([...a.contradicted, ...b.contradicted], ({ claim }) => claim, latest),
    invalidReplies: mergeByKey(
      [...a.invalidReplies, ...b.invalidReplies],
      ({ reason }) => reason,
      (one, other) => ({ ...one, count: one.count + other.count, last: latest(one.last, other.last) }),
    ),
  };
}

/** Merges the quality reports of several processes by resource. Files and lines are taken from the last report. */
export function mergeQuality(reports: readonly (readonly ResourceQuality[])[]): readonly ResourceQuality[] {
  return mergeByKey(reports.flat(), ({ source, resource }) => `${resource} of ${source}`, mergeResources);
}
