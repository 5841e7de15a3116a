import { z } from 'zod';
import { closest } from './closest.ts';
import type { Problem } from './problem.ts';
import type { YamlFile } from './yaml-file.ts';

type Path = readonly PropertyKey[];

/** The keys that a schema knows at a path; of a union, those of all its alternatives. */
function knownKeys(schema: unknown, path: Path): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return knownKeys(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodUnion) {
    return [...new Set(schema.options.flatMap((option) => knownKeys(option, path)))];
  }
  const [key, ...rest] = path;
  if (key === undefined) return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  if (schema instanceof z.ZodObject) return knownKeys(schema.shape[String(key)], rest);
  if (schema instanceof z.ZodArray) return knownKeys(schema.element, rest);
  return schema instanceof z.ZodRecord ? knownKeys(schema.valueType, rest) : [];
}

/** The issue of a union that tells most: that of the alternative which came furthest. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue;
  const [first, ...others] = issue.errors.flat().map(deepest);
  if (first === undefined) return issue;
  const best = others.reduce((far, next) => (next.path.length > far.path.length ? next : far), first);
  return best.path.length === 0 ? issue : { ...best, path: [...issue.path, ...best.path] };
}

function isMissing(content: unknown, path: Path): boolean {
  let here = content;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return false;
    here = (here as Record<PropertyKey, unknown>)[key];
  }
  return here === undefined;
}

function hintFor(key: string, known: readonly string[]): string | undefined {
  const near = closest(key, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  return known.length > 0 ? `known keys: ${known.join(', ')}` : undefined;
}

function problemsOf(raw: z.core.$ZodIssue, file: YamlFile, schema: z.ZodType): readonly Problem[] {
  const issue = deepest(raw);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((key) => file.problemAt([...issue.path, key], 'unknown key', hintFor(key, known)));
  }
  if (isMissing(file.content, issue.path)) {
    const parent = issue.path.slice(0, -1);
    return [file.problemAt(parent, `the key "${String(issue.path.at(-1))}" is missing`, issue.message)];
  }
  return file.isUnset(issue.path) ? [] : [file.problemAt(issue.path, issue.message)];
}

/** Checks a file's content against its schema; problems are added with their lines. */
export function checkShape<T extends z.ZodType>(
  file: YamlFile,
  schema: T,
  problems: Problem[],
): z.infer<T> | undefined {
  if (file.content === undefined) return undefined;
  const result = schema.safeParse(file.content);
  if (result.success) return result.data;
  for (const issue of result.error.issues) problems.push(...problemsOf(issue, file, schema));
  return undefined;
}
