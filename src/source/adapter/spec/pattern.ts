// Compiles the regular expressions of source files, and keeps those that take very long from blocking the process.

import { setFlagsFromString } from 'node:v8';
import type { SpecLocation } from './spec-location.ts';

// ReDoS protection. Patterns run on texts of sources and clients, and 30 letters can keep `^(a+)+$` busy for a minute.
// After 50,000 backtracks V8 switches to a linear-time engine, for patterns without lookaround or back references.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

/** The source of a regular expression that matches exactly this text. */
export function escapedText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

const MATCHES_NONE = /(?!)/;

/** Compiles a regular expression of a source file. An invalid one is reported and matches nothing. */
export function patternAt(text: string, here: SpecLocation): RegExp {
  try {
    return new RegExp(text);
  } catch {
    here.report(`"${text}" is not a regular expression`);
    return MATCHES_NONE;
  }
}

/** Compiles a regular expression whose first group is the result. A pattern without a group is reported, too. */
export function groupAt(text: string, here: SpecLocation): RegExp {
  const pattern = patternAt(text, here);
  // With an empty alternative, the pattern matches every text, so the match shows how many groups there are.
  if (new RegExp(`${pattern.source}|`).exec('')?.length === 1 && pattern.source !== MATCHES_NONE.source)
    here.report(`"${text}" has no group`, 'put what is wanted into parentheses: ^([^/]+)/');
  return pattern;
}
