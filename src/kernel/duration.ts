// Reads and writes the durations, sizes and rate limits of configuration files, such as `5s`, `64KiB` and `20 per 1s`.

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of a duration such as `250ms`, `5s`, `10m`, `2h`, `1d`; `undefined` for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  return match === null ? undefined : Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
}

/** Writes a number in the largest unit that divides it. */
function inLargestUnit(value: number, units: Readonly<Record<string, number>>): string {
  const fitting = Object.entries(units).filter(([, unit]) => value >= unit && value % unit === 0);
  const [name, unit] = fitting.at(-1) ?? Object.entries(units)[0] ?? ['', 1];
  return `${value / unit}${name}`;
}

/** Writes milliseconds as `parseDuration` reads them. */
export function writeDuration(ms: number): string {
  return inLargestUnit(ms, UNITS);
}

const SIZES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** Bytes of a size such as `512B`, `64KiB`, `2MiB`, `1GiB`; `undefined` for any other text. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d{1,9})(B|KiB|MiB|GiB)$/.exec(text);
  return match === null ? undefined : Number(match[1]) * SIZES[match[2] as keyof typeof SIZES];
}

/** Writes bytes as `parseBytes` reads them. */
export function writeBytes(bytes: number): string {
  return inLargestUnit(bytes, SIZES);
}

/** A rate-limit window: `points` per `seconds` (a whole number). */
export type RateWindow = { readonly points: number; readonly seconds: number };

/** Parses a window such as `20 per 1s`; `undefined` for any other text or a window that is not whole seconds. */
export function parseRateWindow(text: string): RateWindow | undefined {
  const match = /^(\d{1,9}) per (\d{1,9}(?:ms|s|m|h|d))$/.exec(text);
  const ms = match === null ? undefined : parseDuration(match[2] ?? '');
  const points = Number(match?.[1]);
  if (ms === undefined || ms < 1_000 || ms % 1_000 !== 0 || points < 1) return undefined;
  return { points, seconds: ms / 1_000 };
}

/** Writes a window as `parseRateWindow` reads it. */
export function writeRateWindow({ points, seconds }: RateWindow): string {
  return `${points} per ${writeDuration(seconds * 1_000)}`;
}
