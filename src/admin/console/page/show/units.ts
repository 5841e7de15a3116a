// Numbers as people read them: with a unit, few digits, and a dash where nothing is known.

/** The sign for an unknown value. */
export const UNKNOWN = '–';

type Maybe = number | null | undefined;

const isKnown = (value: Maybe): value is number => typeof value === 'number' && Number.isFinite(value);

/** At most three significant digits, never in powers of ten, with thousands apart. */
function shortNumber(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString('en-GB', { maximumFractionDigits: digits });
}

/** A whole number with its thousands apart. */
export function countText(value: Maybe): string {
  return isKnown(value) ? Math.round(value).toLocaleString('en-GB') : UNKNOWN;
}

/** A rate per second, such as 12.3/s. */
export function rateText(perSecond: Maybe): string {
  if (!isKnown(perSecond)) return UNKNOWN;
  return `${perSecond > 0 && perSecond < 0.01 ? '<0.01' : shortNumber(perSecond)}/s`;
}

/** A share of 0..1 in percent. It says 0 or 100 only if the share is exactly that. */
export function shareText(share: Maybe): string {
  if (!isKnown(share)) return UNKNOWN;
  const percent = share * 100;
  if (percent > 0 && percent < 0.01) return '<0.01 %';
  if (percent < 100 && percent > 99.99) return '>99.99 %';
  return `${percent.toLocaleString('en-GB', { maximumFractionDigits: percent < 10 ? 2 : 1 })} %`;
}

/** A time that something took: µs, ms, s or min. */
export function durationText(ms: Maybe): string {
  if (!isKnown(ms)) return UNKNOWN;
  if (ms < 0) return UNKNOWN;
  if (ms > 0 && ms < 1) return `${shortNumber(ms * 1000)} µs`;
  if (ms < 1000) return `${shortNumber(ms)} ms`;
  if (ms < 60_000) return `${shortNumber(ms / 1000)} s`;
  return spanText(ms);
}

/** A quantile of durations, of which only the bucket is known: at most `upToMs`, or more than the last bound (`ms`). */
export function quantileText(ms: Maybe, upToMs: Maybe): string {
  if (!isKnown(ms)) return UNKNOWN;
  return isKnown(upToMs) ? `≤ ${durationText(upToMs)}` : `> ${durationText(ms)}`;
}

/** A long span in its two largest units, such as 3 h 12 min. */
export function spanText(ms: Maybe): string {
  if (!isKnown(ms)) return UNKNOWN;
  const seconds = Math.max(0, Math.round(ms / 1000));
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const first = units.findIndex(([size]) => seconds >= size);
  if (first === -1) return '0 s';
  const [size, name] = units[first] ?? [1, 's'];
  const whole = Math.floor(seconds / size);
  const next = units[first + 1];
  const rest = next === undefined ? 0 : Math.floor((seconds % size) / next[0]);
  return rest === 0 || next === undefined ? `${whole} ${name}` : `${whole} ${name} ${rest} ${next[1]}`;
}

/** The time span of rates, to follow `the last`. Samples come every few seconds, so about a minute is called a minute. */
export function rateSpanText(ms: Maybe): string {
  return isKnown(ms) && Math.abs(ms - 60_000) < 12_000 ? 'minute' : spanText(ms);
}

/** A size, in KiB and MiB. */
export function bytesText(bytes: Maybe): string {
  if (!isKnown(bytes)) return UNKNOWN;
  if (bytes < 1024) return `${countText(bytes)} B`;
  if (bytes < 1024 ** 2) return `${shortNumber(bytes / 1024)} KiB`;
  if (bytes < 1024 ** 3) return `${shortNumber(bytes / 1024 ** 2)} MiB`;
  return `${shortNumber(bytes / 1024 ** 3)} GiB`;
}

/** Any JSON on one line, for a table, such as `stage ramp, percent 5`: at most 160 characters. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return UNKNOWN;
  const text = shallowText(value);
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

function shallowText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(shallowText).join(' ');
  return Object.entries(value)
    .map(([name, one]) => `${name} ${typeof one === 'object' ? JSON.stringify(one) : shallowText(one)}`)
    .join(', ');
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What has changed, such as `stage shadow → ramp, percent 0 → 5`; empty if nothing is known. */
export function differenceText(before: unknown, after: unknown): string {
  if (before === undefined && after === undefined) return '';
  if (!isObject(before) || !isObject(after)) return `${valueText(before)} → ${valueText(after)}`;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${name} ${valueText(before[name])} → ${valueText(after[name])}`)
    .join(', ');
}
