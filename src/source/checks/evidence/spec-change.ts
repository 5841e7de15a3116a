// Changes of a source file: `doctor` and `infer` try them on a copy of the file, and propose those that help.

import type { SourceSpec } from '../../../config/schema/source.ts';

/** One key of a source file with another value; `undefined` removes the key. */
export type SpecChange = { readonly at: readonly PropertyKey[]; readonly value: unknown };

function changed(tree: unknown, [key, ...rest]: readonly PropertyKey[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(tree))
    return tree.map((one: unknown, index) => (index === key ? changed(one, rest, value) : one));
  const before = typeof tree === 'object' && tree !== null ? (tree as Record<PropertyKey, unknown>) : {};
  if (rest.length > 0 || value !== undefined) return { ...before, [key]: changed(before[key], rest, value) };
  return Object.fromEntries(Object.entries(before).filter(([name]) => name !== key));
}

/** A copy of a source with some changes. What does not change is shared with the original. */
export function changeSpec(spec: SourceSpec, changes: readonly SpecChange[]): SourceSpec {
  return changes.reduce((before, { at, value }) => changed(before, at, value) as SourceSpec, spec);
}

/** A value in one line of YAML. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).filter(([, one]) => one !== undefined);
    return `{ ${parts.map(([key, one]) => `${key}: ${valueText(one)}`).join(', ')} }`;
  }
  if (typeof value !== 'string') return String(value);
  return /^[A-Za-z_][\w. -]*$/.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value)
    ? value
    : `'${value.replaceAll("'", "''")}'`;
}

/** A change as the line to write, without the keys up to the list or the record: `window: { base: 1 }`. */
export function changeText({ at, value }: SpecChange): string {
  const [key, ...rest] = at[0] === 'resources' ? at.slice(3) : at;
  if (value === undefined) return `no ${[key, ...rest].join('.')}`;
  const tree = rest.reduceRight<unknown>((inner, one) => ({ [one]: inner }), value);
  return `${String(key)}: ${valueText(tree)}`;
}
