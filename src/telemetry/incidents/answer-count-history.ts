// Remembers how many answers the process has given, because an incident is found some seconds after it began.

const REMEMBERED_S = 128;

/** Remembers how many answers there were at each second of the last two minutes. */
export function createAnswerCountHistory(answered: () => number, now: () => number) {
  const past = new Float64Array(REMEMBERED_S).fill(answered());
  const secondOf = (ms: number) => Math.floor(ms / 1_000);
  let latest = secondOf(now());
  return {
    at: (ms = Infinity): number => {
      const second = secondOf(ms);
      if (second >= latest) return answered();
      return past[Math.max(second, latest - REMEMBERED_S + 1) % REMEMBERED_S] ?? 0;
    },
    /** Notes the number of answers. Seconds without a tick get the same number. */
    tick(): void {
      const second = secondOf(now());
      const count = answered();
      for (let at = Math.max(latest + 1, second - REMEMBERED_S + 1); at <= second; at += 1)
        past[at % REMEMBERED_S] = count;
      latest = Math.max(latest, second);
    },
  };
}
