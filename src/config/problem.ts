/** Something an operator has to mend, with the place where it stands. */
export type Problem = {
  readonly file: string;
  /** From 1; absent where the problem concerns the whole file. */
  readonly line?: number;
  readonly column?: number;
  /** Dotted path of the key, such as `limits.tiers.standard.windows[0]`; empty for the document itself. */
  readonly path: string;
  readonly message: string;
  /** How to mend it. */
  readonly hint?: string;
};

/** Takes a problem of one file at a path of keys, with a hint how to mend it. */
export type ReportProblem = (path: readonly PropertyKey[], message: string, hint?: string) => void;

/** Thrown when the configuration cannot be used; it carries every problem, not only the first. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(`${problems.length} problem${problems.length === 1 ? '' : 's'} in the configuration`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** A path of keys and indexes as text: `windows[0].points`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** One problem as the lines an operator reads. */
export function problemText({ file, line, column, path, message, hint }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const subject = path === '' ? '' : ` ${path}:`;
  return `${place}:${subject} ${message}${hint === undefined ? '' : `\n    hint: ${hint}`}`;
}
