// Moves the days and times of a recording, so that they identify nobody but keep their order.

import { randomInt } from 'node:crypto';
import type { CoercionSpec } from '../../config/schema/source.ts';
import { DAY_MS, isDay } from '../../contract/instants.ts';

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Whether a text is a number that is replaced by another one. */
export const isPlainNumber = (text: string): boolean => PLAIN_NUMBER.test(text);

/** Days are moved by at most thirty years. */
const DAYS_MOVED_MAX = 30 * 365;

/** Chooses by how many days all days and times of a recording are moved. */
export const daysToMove = (): number => 1 + randomInt(DAYS_MOVED_MAX);

/** Moves a text that begins with a day to an earlier day; `undefined` if it does not begin with one. */
export function moveDay(text: string, days: number): string | undefined {
  const day = text.slice(0, 10);
  if (!/^[1-8].{9}(?:$|[T ]\d)/.test(text) || !isDay(day)) return undefined;
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10) + text.slice(10);
}

/** Moves a time that a format of fixed length reads, such as yyyyMMdd. */
function moveFormatted(text: string, format: string, days: number): string | undefined {
  const shape = format.replaceAll("'", '');
  const places = ['yyyy', 'MM', 'dd'].map((token) => shape.indexOf(token));
  if (places.includes(-1) || text.length !== shape.length || shape.length !== format.length) return undefined;
  const parts = places.map((at, index) => text.slice(at, at + (index === 0 ? 4 : 2)));
  const moved = moveDay(parts.join('-'), days)?.split('-');
  if (moved === undefined) return undefined;
  const characters = Array.from(text);
  for (const [index, at] of places.entries())
    characters.splice(at, parts[index]?.length ?? 0, ...Array.from(moved[index] ?? ''));
  return characters.join('');
}

/**
 * Moves a day or a time to an earlier day, in the form in which the source writes it, so that the same steps read it.
 * `undefined` if no step says how it is written, as for texts of ISO 8601.
 */
export function moveTime(text: string, steps: readonly CoercionSpec[], days: number): string | undefined {
  for (const step of steps) {
    if (step === 'epochSeconds' || step === 'epochMilliseconds') {
      if (!isPlainNumber(text)) return undefined;
      const [whole = '', ...fraction] = text.split('.');
      const unitMs = step === 'epochSeconds' ? 1_000 : 1;
      return [String(BigInt(whole) - BigInt((days * DAY_MS) / unitMs)), ...fraction].join('.');
    }
    if (typeof step === 'object' && 'date' in step) return moveFormatted(text, step.date.format, days);
  }
  return undefined;
}
