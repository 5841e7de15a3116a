// Says of which type a value from `readJson` is, and reads it as a text or a number.

import { type Json, type JsonObject, NumberText } from './json.ts';

/** Whether a value is an object of a document. */
export function isObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}

/** Whether a value is a list of a document. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The text of a text or number; `undefined` for anything else. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof NumberText ? value.text : undefined;
}

/** A whole number from 0, written as a number or as digits; `undefined` for anything else. */
export function wholeNumber(value: Json | undefined): number | undefined {
  const text = scalarText(value) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The JSON types, without `null`. */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** The type of a value; `undefined` for `null`, and if there is no value. */
export function jsonType(value: Json | undefined): JsonType | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return value instanceof NumberText ? 'number' : 'object';
  return typeof value as 'string' | 'number' | 'boolean';
}
