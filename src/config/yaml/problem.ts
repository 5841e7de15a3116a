// Problems of configuration files: their type, their text for an operator, and the error that carries them.

import { plural } from '../../kernel/plural.ts';

/** A mistake in a configuration file, with its position. */
export type Problem = {
  readonly file: string;
  /** From 1; absent if the problem concerns the whole file. */
  readonly line?: number;
  readonly column?: number;
  /** The dotted path of the key, such as `limits.tiers.standard.windows[0]`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
  /** What to change. */
  readonly hint?: string;
};

/** Reports a problem at a path of keys in one file, with a hint that says what to change. */
export type ReportProblem = (path: readonly PropertyKey[], message: string, hint?: string) => void;

/** Thrown when the configuration cannot be used; it carries every problem, not only the first. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(
    problems: readonly Problem[],
    message = `${plural(problems.length, 'problem')} in the configuration`,
  ) {
    super(message);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Writes a path of keys and indexes as text: `windows[0].points`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** Formats one problem as lines for an operator. */
export function problemText({ file, line, column, path, message, hint }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const subject = path === '' ? '' : ` ${path}:`;
  return `${place}:${subject} ${message}${hint === undefined ? '' : `\n    hint: ${hint}`}`;
}
