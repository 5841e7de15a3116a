// The lines of the charts, from the slots of the API. Pure.

import type { FiguresOverTime, SlotCounts } from '../../../api/figure-specs.ts';

type NamedSlotCounts = Readonly<Record<string, SlotCounts>>;

/** A line that has no chart yet. */
export type Line = { readonly name: string; readonly colour: string; readonly values: SlotCounts };

const statusColours: Readonly<Record<string, string>> = {
  '2xx': 'c-good',
  '3xx': 'c-cool',
  '4xx': 'c-warn',
  '5xx': 'c-bad',
};
const others = ['c-cool', 'c-warn', 'c-bad', 'c-plum', 'c-good', 'c-grey'];

/** Whether anything was counted in any slot. */
const isCounted = (counts: SlotCounts) => counts.some((count) => (count ?? 0) > 0);

/** Counts of slots as rates per second. The last slot is not over, so it says nothing yet. */
export function slotRates(counts: SlotCounts, stepMs: number): SlotCounts {
  return counts.slice(0, -1).map((count) => (count === null ? null : count / (stepMs / 1000)));
}

/** The sum of several counts, slot by slot; null where none was counted. */
export function summed(all: readonly SlotCounts[]): SlotCounts {
  const slots = Math.max(0, ...all.map(({ length }) => length));
  return Array.from({ length: slots }, (_, slot) => {
    const values = all.map((counts) => counts[slot] ?? null).filter((count) => count !== null);
    return values.length === 0 ? null : values.reduce((sum, count) => sum + count, 0);
  });
}

/** The requests per second by class of status, those that never were left out. */
export function statusLines({ series, stepMs }: FiguresOverTime): readonly Line[] {
  return Object.entries(series.requests.byStatusClass)
    .filter(([name, counts]) => name === '2xx' || isCounted(counts))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, counts]) => ({
      name,
      colour: statusColours[name] ?? 'c-grey',
      values: slotRates(counts, stepMs),
    }));
}

/** Lines of named counts per second, the largest five. */
export function namedLines(named: NamedSlotCounts, stepMs: number): readonly Line[] {
  return Object.entries(named)
    .filter(([, counts]) => isCounted(counts))
    .map(([name, counts]) => ({
      name,
      counts,
      sum: counts.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    }))
    .toSorted((a, b) => b.sum - a.sum)
    .slice(0, 5)
    .map(({ name, counts }, index) => ({
      name,
      colour: others[index] ?? 'c-grey',
      values: slotRates(counts, stepMs),
    }));
}

/** p50 and p99. */
export function latencyLines({ p50Ms, p99Ms }: { p50Ms: SlotCounts; p99Ms: SlotCounts }): readonly Line[] {
  return [
    { name: 'p50', colour: 'c-cool', values: p50Ms.slice(0, -1) },
    { name: 'p99', colour: 'c-plum', values: p99Ms.slice(0, -1) },
  ];
}

/** So many slots are drawn even if nothing is known of most of them: five minutes of an hour. */
const SLOTS_MIN = 30;

type OfSlots = {
  readonly at: readonly number[];
  readonly stepMs: number;
  readonly since: string;
  readonly series: object;
};

/** Without the first slots, wherever a list has one entry for each slot. */
function cut(value: unknown, slots: number, first: number): unknown {
  if (Array.isArray(value)) return value.length === slots ? value.slice(first) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cut(part, slots, first)]));
}

/**
 * The figures without the slots before their first one that is known: in an hour, the first minutes of a gateway would be
 * a line at the edge.
 */
export function knownSlots<Figures extends OfSlots>(figures: Figures): Figures {
  const { at, stepMs, since, series } = figures;
  const began = at.findIndex((start) => start + stepMs > Date.parse(since));
  const first = Math.min(began === -1 ? at.length : began, at.length - SLOTS_MIN);
  if (first <= 0) return figures;
  return { ...figures, at: at.slice(first), series: cut(series, at.length, first) };
}
