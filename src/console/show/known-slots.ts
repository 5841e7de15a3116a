// Which part of a chart of slots is drawn.

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
