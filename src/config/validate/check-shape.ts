// Checks files against their zod schemas, and turns zod's issues into problems that an operator can understand.

import * as z from 'zod';
import { closest } from './closest.ts';
import type { Problem } from '../yaml/problem.ts';
import type { Reference } from '../yaml/substitute.ts';
import type { YamlFile } from '../yaml/yaml-file.ts';

type Path = readonly PropertyKey[];

/** The value at a path; `null` if the path leads through a scalar. */
function valueAt(content: unknown, path: Path): unknown {
  let here = content;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return null;
    here = (here as Record<PropertyKey, unknown>)[key];
  }
  return here;
}

function isMissing(content: unknown, path: Path): boolean {
  return valueAt(content, path) === undefined;
}

/** Whether a value has the discriminator of this alternative of a discriminated union. */
function isNamed(option: unknown, discriminator: string, value: unknown): boolean {
  if (!(option instanceof z.ZodObject)) return false;
  const named: unknown = option.shape[discriminator];
  return named instanceof z.ZodType && named.safeParse(valueAt(value, [discriminator])).success;
}

/** The alternatives of a union that the author may have meant: the one with the value's discriminator, or all. */
function alternativesOf(schema: z.ZodUnion, value: unknown): readonly unknown[] {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema.options;
  const { discriminator } = schema.def;
  const named = schema.options.filter((option) => isNamed(option, discriminator, value));
  return named.length > 0 ? named : schema.options;
}

/** The keys that a schema knows at a path below a value; for a union, those of the alternatives that may be meant. */
function knownKeys(schema: unknown, path: Path, value: unknown): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return knownKeys(schema.unwrap(), path, value);
  }
  if (schema instanceof z.ZodPipe) return knownKeys(schema.in, path, value);
  if (schema instanceof z.ZodUnion) {
    return [...new Set(alternativesOf(schema, value).flatMap((option) => knownKeys(option, path, value)))];
  }
  const [key, ...rest] = path;
  if (key === undefined) return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const below = valueAt(value, [key]);
  if (schema instanceof z.ZodObject) return knownKeys(schema.shape[String(key)], rest, below);
  if (schema instanceof z.ZodArray) return knownKeys(schema.element, rest, below);
  return schema instanceof z.ZodRecord ? knownKeys(schema.valueType, rest, below) : [];
}

/**
 * How well an issue shows which alternative of a union was meant; a higher number is better. An issue inside an existing
 * value shows it best. An unknown key may be a typing mistake. A missing key may belong to any alternative.
 */
function weightOf(issue: z.core.$ZodIssue, content: unknown): number {
  if (issue.code === 'unrecognized_keys') return issue.path.length + 1 + 1 / (issue.keys.length + 1);
  if (issue.path.length === 0) return 0;
  // "None of the alternatives fits" says less than an issue inside one of them.
  if (issue.code === 'invalid_union' && !('discriminator' in issue)) return issue.path.length - 0.5;
  return isMissing(content, issue.path) ? issue.path.length : issue.path.length + 1;
}

/** Picks the most specific issue of a union. The paths of the issues are relative to `content`. */
function mostSpecificIssue(issue: z.core.$ZodIssue, content: unknown): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const here = valueAt(content, issue.path);
  const inner = issue.errors.flat().map((one) => mostSpecificIssue(one, here));
  const weights = inner.map((one) => weightOf(one, here));
  const best = inner[weights.indexOf(Math.max(...weights))];
  if (best === undefined || weightOf(best, here) === 0) return issue;
  return { ...best, path: [...issue.path, ...best.path] };
}

function hintFor(key: string, known: readonly string[]): string | undefined {
  // Only another alternative of the union has this key.
  if (known.includes(key))
    return `it does not go together with the keys beside it; known keys: ${known.join(', ')}`;
  const near = closest(key, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  return known.length > 0 ? `known keys: ${known.join(', ')}` : undefined;
}

const WORDS: Readonly<Record<string, string>> = { object: 'a map', array: 'a list', string: 'a text' };

/** Describes the value that is expected for a missing key. */
function missingHint(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_union') return undefined;
  return issue.code === 'invalid_type'
    ? `it takes ${WORDS[issue.expected] ?? issue.expected}`
    : issue.message;
}

/** Names the variables that a wrong value came from, because the file does not show their values. */
function originHint(variables: readonly Reference[]): string | undefined {
  if (variables.length === 0) return undefined;
  const texts = variables.map(({ variable, isSet }) => `${variable}${isSet ? '' : ', which is not set'}`);
  return `the value comes from the environment variable ${texts.join(', and ')}`;
}

/** The texts that would have been right in place of the value of an issue. */
function wordsOf(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'invalid_union')
    return issue.errors.flat().flatMap((one) => (one.path.length === 0 ? wordsOf(one) : []));
  return issue.code === 'invalid_value' ? issue.values.filter((value) => typeof value === 'string') : [];
}

/** A hint with the right text for a mistyped one; `undefined` if no text is similar. `content` is what was checked. */
export function nearValueHint(issue: z.core.$ZodIssue, content: unknown): string | undefined {
  const value = valueAt(content, issue.path);
  const near = typeof value === 'string' ? closest(value, wordsOf(issue)) : undefined;
  return near === undefined ? undefined : `did you mean "${near}"?`;
}

function problemsOf(raw: z.core.$ZodIssue, file: YamlFile, schema: z.ZodType): readonly Problem[] {
  const content = file.content();
  const issue = mostSpecificIssue(raw, content);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path, content);
    return issue.keys.map((key) => file.problemAt([...issue.path, key], 'unknown key', hintFor(key, known)));
  }
  if (issue.code === 'invalid_key') {
    return [file.problemAt(issue.path, issue.issues[0]?.message ?? issue.message)];
  }
  if (isMissing(content, issue.path)) {
    const parent = issue.path.slice(0, -1);
    return [file.problemAt(parent, `the key "${String(issue.path.at(-1))}" is missing`, missingHint(issue))];
  }
  if (file.isUnset(issue.path)) return [];
  const hint = originHint(file.variablesAt(issue.path)) ?? nearValueHint(issue, content);
  return [file.problemAt(issue.path, issue.message, hint)];
}

/** Checks a file's content against its schema; `undefined` if it is wrong. Problems are added with their lines. */
export function checkShape<T extends z.ZodType>(
  file: YamlFile,
  schema: T,
  problems: Problem[],
): z.infer<T> | undefined {
  const content = file.content();
  if (content === undefined) return undefined;
  if (content === null) {
    const [first = ''] = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    const hint = `it begins with the line "${first}: 1"`;
    problems.push({ file: file.file, line: 1, column: 1, path: '', message: 'the file is empty', hint });
    return undefined;
  }
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  for (const issue of result.error.issues) problems.push(...problemsOf(issue, file, schema));
  return undefined;
}
