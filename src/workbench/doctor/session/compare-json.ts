// Names each place where two JSON documents differ, so that `portico test` can say how an answer is not the recorded one.

import { pathText } from '../../../config/yaml/problem.ts';
import { type Json, jsonText } from '../../../kernel/json/json.ts';
import { isObject } from '../../../kernel/json/values.ts';

/** A place where two documents differ, with the JSON text of both; `undefined` if one has nothing there. */
export type Difference = {
  readonly path: string;
  readonly expected: string | undefined;
  readonly actual: string | undefined;
};

type Children = ReadonlyMap<string | number, Json>;

function childrenOf(value: Json | undefined): Children | undefined {
  if (Array.isArray(value)) return new Map((value as readonly Json[]).entries());
  return isObject(value) ? new Map(Object.entries(value)) : undefined;
}

/** Every place where two documents differ. Numbers are compared by their digits, objects without regard to order. */
export function differences(
  expected: Json | undefined,
  actual: Json | undefined,
  path: readonly PropertyKey[] = [],
): readonly Difference[] {
  const [wanted, given] = [childrenOf(expected), childrenOf(actual)];
  if (wanted !== undefined && given !== undefined && Array.isArray(expected) === Array.isArray(actual)) {
    const keys = new Set([...wanted.keys(), ...given.keys()]);
    return [...keys].flatMap((key) => differences(wanted.get(key), given.get(key), [...path, key]));
  }
  const [left, right] = [expected, actual].map((one) => (one === undefined ? undefined : jsonText(one)));
  return left === right ? [] : [{ path: pathText(path), expected: left, actual: right }];
}
