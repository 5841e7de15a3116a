// Runs a function of the operator's own as a step of a mapping.

import type { OwnCoercion, OwnInput } from '../../../../config/schema/mapping/own-coercion.ts';
import { Decimal } from '../../../../kernel/decimal.ts';
import { type Json, readJson } from '../../../../kernel/json/json.ts';
import { isList, isObject, scalarText } from '../../../../kernel/json/values.ts';
import { type Step, type StepValue, UNREADABLE } from './step.ts';

/** A value as a function gets it: numbers as their digits, so that none is lost; objects and lists as copies. */
function inputOf(value: Exclude<StepValue, undefined | typeof UNREADABLE>): OwnInput {
  if (value instanceof Decimal) return value.toString();
  if (isList(value)) return value.map(inputOf);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inputOf(part)]));
  return scalarText(value) ?? (value as boolean | null);
}

/** The value that a function has returned. @throws Error if it is none that a reply could hold, such as NaN or a promise */
function outputOf(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'bigint') return readJson(String(value));
  if (Array.isArray(value)) return value.map(outputOf);
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('no plain value');
  const parts = Object.entries(value).map(([key, part]) => [key, outputOf(part)]);
  return Object.assign(Object.create(null) as object, Object.fromEntries(parts)) as Json;
}

/** Creates the step that calls a function. What goes wrong in it stays here, because its error may quote the value. */
export function compileCall({ run }: OwnCoercion): Step {
  return (value) => {
    if (value === null || value === undefined || value === UNREADABLE) return value;
    try {
      const made = run(inputOf(value));
      // A rejection that nobody handles would end the process.
      if (made instanceof Promise) made.catch(() => undefined);
      return outputOf(made);
    } catch {
      return UNREADABLE;
    }
  };
}
