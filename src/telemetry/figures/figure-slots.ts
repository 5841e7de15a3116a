/** Counts in slots of equal length, the oldest first. */
export type FigureTable = {
  readonly stepMs: number;
  /** When each slot begins, milliseconds since the epoch. */
  readonly at: readonly number[];
  /** Of each slot, whether anybody counted in it. */
  readonly isCounted: readonly boolean[];
  /** The counts of each figure; one that is absent was 0 throughout. */
  readonly columns: ReadonlyMap<string, readonly number[]>;
};

/** A span of time in slots: from `fromMs` up to and with the slot of `toMs`. */
export type TableRange = { readonly fromMs: number; readonly toMs: number; readonly stepMs: number };

/** The figures of the last slots, in memory of a fixed size. */
export type FigureSlots = {
  /** Adds to the slot of a time. Times may not go back by more than the slots reach. */
  add(atMs: number, grown: ReadonlyMap<string, number>): void;
  /** The figures that `isWanted` accepts. Slots that are not kept any more count as not counted. */
  read(range: TableRange, isWanted: (key: string) => boolean): FigureTable;
};

/**
 * `slotMs` times `slots` is how far the figures reach back. Each figure takes 4 bytes a slot, whether it is counted or
 * not.
 */
export type FigureSlotsOptions = {
  readonly slotMs: number;
  /** How many slots are kept. */
  readonly slots: number;
};

/** Above this number of figures, further ones are left out: each takes 4 bytes a slot. */
const FIGURES_MAX = 4_000;

/** The first slots of a range of steps, each of which begins at a multiple of its length. */
export function stepsOf({ fromMs, toMs, stepMs }: TableRange): readonly number[] {
  const first = Math.floor(fromMs / stepMs);
  const last = Math.floor(toMs / stepMs);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * stepMs);
}

/** Creates slots, a ring: a new slot takes the place of the oldest. */
export function createFigureSlots({ slotMs, slots }: FigureSlotsOptions): FigureSlots {
  const columns = new Map<string, Uint32Array>();
  /** The number of the slot that each place holds. */
  const numbers = new Float64Array(slots).fill(-1);

  function columnOf(key: string): Uint32Array | undefined {
    const known = columns.get(key);
    if (known !== undefined || columns.size >= FIGURES_MAX) return known;
    const column = new Uint32Array(slots);
    columns.set(key, column);
    return column;
  }

  return {
    add(atMs, grown) {
      const number = Math.floor(atMs / slotMs);
      const place = number % slots;
      if (numbers[place] !== number) {
        numbers[place] = number;
        for (const column of columns.values()) column[place] = 0;
      }
      for (const [key, count] of grown) {
        const column = columnOf(key);
        if (column !== undefined) column[place] = (column[place] ?? 0) + count;
      }
    },
    read(range, isWanted) {
      const at = stepsOf(range);
      const isCounted = at.map(() => false);
      const wanted = [...columns].filter(([key]) => isWanted(key));
      const sums = wanted.map(([key, column]) => ({ key, column, counts: at.map(() => 0) }));
      numbers.forEach((number, place) => {
        const step = Math.floor((number * slotMs - (at[0] ?? 0)) / range.stepMs);
        if (number < 0 || step < 0 || step >= at.length) return;
        isCounted[step] = true;
        for (const { column, counts } of sums) counts[step] = (counts[step] ?? 0) + (column[place] ?? 0);
      });
      const counted = sums.filter(({ counts }) => counts.some((count) => count > 0));
      return {
        stepMs: range.stepMs,
        at,
        isCounted,
        columns: new Map(counted.map(({ key, counts }) => [key, counts])),
      };
    },
  };
}
