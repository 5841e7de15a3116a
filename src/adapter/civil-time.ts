/** A date and a time as a calendar and a clock show them, without a zone. */
export type CivilTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
};

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
}

/** `Date.UTC`, which takes a year below 100 for one of the twentieth century, at a tenth of its price. */
function daysSince1970(year: number, month: number, day: number): number {
  // Years that begin in March have their leap day at their end, and months whose lengths follow a rule.
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = month > 2 ? month - 3 : month + 9;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((153 * marchMonth + 2) / 5) + day - 719_469;
}

/**
 * Milliseconds since 1970 at which a clock in UTC shows a time of the years 0 to 9999; `undefined` where no clock ever
 * does. 24:00 is the end of a day (ISO 8601).
 */
export function civilMs({
  year,
  month,
  day,
  hour,
  minute,
  second,
  millisecond,
}: CivilTime): number | undefined {
  if (day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 && (hour > 24 || minute + second + millisecond > 0)) return undefined;
  if (minute > 59 || second > 59) return undefined;
  return (((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1_000 + millisecond;
}
