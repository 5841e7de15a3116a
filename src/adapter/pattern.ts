import type { Report } from './report.ts';

/** A regular expression of a source file; a text that is none is reported, and fits nothing. */
export function patternAt(text: string, report: Report, at: readonly PropertyKey[]): RegExp {
  try {
    return new RegExp(text);
  } catch {
    report(at, `"${text}" is not a regular expression`);
    return /(?!)/;
  }
}
