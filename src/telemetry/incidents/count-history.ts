// Remembers how high a count of this process was, because an incident is found some seconds after it began.

const REMEMBERED_S = 128;

/** Remembers how high a count, such as that of the answers, was at each second of the last two minutes. */
export function createCountHistory(counted: () => number, now: () => number) {
  const past = new Float64Array(REMEMBERED_S).fill(counted());
  const secondOf = (ms: number) => Math.floor(ms / 1_000);
  let [latest, known] = [secondOf(now()), counted()];
  return {
    at: (ms = Infinity): number => {
      const second = secondOf(ms);
      if (second >= latest) return counted();
      return past[Math.max(second, latest - REMEMBERED_S + 1) % REMEMBERED_S] ?? 0;
    },
    /** Notes the count. Seconds without a tick get that of the tick before them, because the process may have stood still. */
    tick(): void {
      const second = secondOf(now());
      for (let at = Math.max(latest + 1, second - REMEMBERED_S + 1); at < second; at += 1)
        past[at % REMEMBERED_S] = known;
      known = counted();
      if (second > latest) past[second % REMEMBERED_S] = known;
      latest = Math.max(latest, second);
    },
  };
}
