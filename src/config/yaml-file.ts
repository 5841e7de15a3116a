import { isMap, isNode, isPair, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { pathText, type Problem } from './problem.ts';
import { closest } from './closest.ts';
import { substitute, type Environment } from './substitute.ts';

/** A parsed YAML file that knows where each of its keys stands. */
export type YamlFile = {
  readonly file: string;
  readonly content: unknown;
  /** A problem of this file at a path of keys. */
  problemAt(path: readonly PropertyKey[], message: string, hint?: string): Problem;
};

/** The range of the deepest node on the way to `path`: of the value, or of the key where `ofKey`. */
function offsetOf(document: Document, path: readonly PropertyKey[], ofKey: boolean): number | undefined {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  path.forEach((key, depth) => {
    if (isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && String(item.key) === String(key));
      const wanted = ofKey && depth === path.length - 1 ? pair?.key : (pair?.value ?? pair?.key);
      if (isNode(wanted)) offset = wanted.range?.[0] ?? offset;
      node = pair?.value;
    } else if (isSeq(node)) {
      node = node.get(key, true);
      if (isNode(node)) offset = node.range?.[0] ?? offset;
    } else {
      node = undefined;
    }
  });
  return offset;
}

/**
 * Parses a YAML text and fills in its references.
 * Problems of syntax and of unset variables are added to `problems`; the content is then what could be read.
 */
export function parseYamlFile(file: string, text: string, env: Environment, problems: Problem[]): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, version: '1.2' });

  function problemOn(offset: number | undefined, path: string, message: string, hint?: string): Problem {
    const place = offset === undefined ? undefined : lines.linePos(offset);
    const position = place === undefined ? {} : { line: place.line, column: place.col };
    return { file, ...position, path, message, ...(hint === undefined ? {} : { hint }) };
  }

  for (const error of document.errors) {
    problems.push(problemOn(error.pos[0], '', error.message.split('\n')[0] ?? 'the YAML cannot be read'));
  }
  for (const { offset, message, hint } of substitute(document, env)) {
    problems.push(problemOn(offset, '', message, hint));
  }
  return {
    file,
    content: document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 50 }),
    problemAt: (path, message, hint) =>
      problemOn(offsetOf(document, path, message.startsWith('unknown key')), pathText(path), message, hint),
  };
}

/** A schema without its defaults, options and the like. */
function unwrapped(schema: unknown): unknown {
  let here = schema;
  while (here instanceof z.ZodOptional || here instanceof z.ZodDefault || here instanceof z.ZodPrefault)
    here = here.unwrap();
  return here;
}

/** The names a strict object knows at a path of a schema, for suggestions. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let here: unknown = unwrapped(schema);
  for (const key of path) {
    if (here instanceof z.ZodObject) here = here.shape[String(key)];
    else if (here instanceof z.ZodArray) here = here.element;
    else if (here instanceof z.ZodRecord) here = here.valueType;
    else return [];
    here = unwrapped(here);
  }
  return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
}

/** The issue of a union that tells most: that of the alternative which came furthest. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue;
  const inner = issue.errors.flat().map(deepest);
  const best = inner.reduce<z.core.$ZodIssue | undefined>(
    (far, next) => (far === undefined || next.path.length > far.path.length ? next : far),
    undefined,
  );
  return best === undefined || best.path.length === 0
    ? issue
    : { ...best, path: [...issue.path, ...best.path] };
}

function problemsOf(raw: z.core.$ZodIssue, file: YamlFile, schema: z.ZodType): readonly Problem[] {
  const issue = deepest(raw);
  if (issue.code !== 'unrecognized_keys') return [file.problemAt(issue.path, issue.message)];
  const known = knownKeys(schema, issue.path);
  return issue.keys.map((key) => {
    const near = closest(key, known);
    const hint =
      near === undefined
        ? known.length > 0
          ? `known keys: ${known.join(', ')}`
          : undefined
        : `did you mean "${near}"?`;
    return file.problemAt([...issue.path, key], 'unknown key', hint);
  });
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
