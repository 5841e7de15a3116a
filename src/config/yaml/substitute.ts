// Fills in the values of `${NAME}` and `${file:…}` in configuration files, such as secrets of the environment.

import { isScalar, type Document, visit } from 'yaml';
import { MASK } from '../../kernel/secret.ts';

/** Where the values of `${NAME}` and `${file:…}` come from. */
export type Environment = {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Reads a file named by `${file:…}`; throws if it cannot be read. */
  readFile(path: string): string;
  /** The value for a variable that has none. It is given only if no connection will be made, as for a check. */
  placeholder?(variable: string): string;
};

/** A problem with a reference, at an offset of the YAML text: it has no value, or is malformed. */
export type Unresolved = { readonly offset: number; readonly message: string; readonly hint: string };

/** A variable that a scalar refers to, with the offset of the scalar in the YAML text. */
export type Reference = { readonly offset: number; readonly variable: string; readonly isSet: boolean };

/** The result of a substitution: problems, and all variables that were referred to. */
export type Substituted = ReturnType<typeof substitute>;

/** A default may hold anything except another reference. */
const REFERENCE = /\$\{(?:file:([^}]+)|([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?)\}/g;

function resolve(match: RegExpExecArray, env: Environment): string | { message: string; hint: string } {
  const [, file, variable = '', fallback] = match;
  if (file !== undefined) {
    try {
      return env.readFile(file).trimEnd();
    } catch {
      return {
        message: `the file ${file} cannot be read`,
        hint: 'mount it, or correct the path after "file:"',
      };
    }
  }
  const value = env.variables[variable];
  if (value !== undefined && value !== '') return value;
  if (fallback !== undefined) return fallback;
  if (env.placeholder !== undefined) return env.placeholder(variable);
  return {
    message: `the environment variable ${variable} is not set`,
    hint: `set it, or give a default: \${${variable}:-value}`,
  };
}

function substituteText(
  text: string,
  env: Environment,
  report: (problem: Omit<Unresolved, 'offset'>) => void,
): string {
  if (text.replaceAll(REFERENCE, '').includes('${')) {
    report({ message: 'a malformed reference', hint: 'write ${NAME}, ${NAME:-default} or ${file:/path}' });
  }
  let result = '';
  let from = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const value = resolve(match, env);
    if (typeof value !== 'string') report(value);
    result += text.slice(from, match.index) + (typeof value === 'string' ? value : '');
    from = match.index + match[0].length;
  }
  return result + text.slice(from);
}

function variablesOf(text: string, env: Environment): readonly Omit<Reference, 'offset'>[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, , variable]) =>
    variable === undefined ? [] : [{ variable, isSet: (env.variables[variable] ?? '') !== '' }],
  );
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${file:path}` in the parsed scalars of a document. Because the document is
 * parsed already, a value can never change its structure. An empty variable counts as unset.
 */
export function substitute(document: Document, env: Environment) {
  const unresolved: Unresolved[] = [];
  const references: Reference[] = [];
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || !isScalar(node) || typeof node.value !== 'string' || !node.value.includes('${'))
        return;
      const offset = node.range?.[0] ?? 0;
      references.push(...variablesOf(node.value, env).map((one) => ({ offset, ...one })));
      node.value = substituteText(node.value, env, (problem) => unresolved.push({ offset, ...problem }));
    },
  });
  return { unresolved, references };
}

/** A text as it may be displayed: each reference is replaced by `***`. */
export const maskReferences = (text: string): string => text.replaceAll(REFERENCE, MASK);
