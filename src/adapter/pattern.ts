import { setFlagsFromString } from 'node:v8';
import type { SpecLocation } from './spec-location.ts';

// What a pattern is held against comes from a source or a client: 30 letters can keep one such as `^(a+)+$` busy for
// a minute. Behind 50,000 steps back, V8 goes on in linear time, where a pattern neither looks around nor refers back.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

const NOTHING_FITS = /(?!)/;

/** A regular expression of a source file; a text that is none is reported, and fits nothing. */
export function patternAt(text: string, here: SpecLocation): RegExp {
  try {
    return new RegExp(text);
  } catch {
    here.report(`"${text}" is not a regular expression`);
    return NOTHING_FITS;
  }
}

/** A regular expression whose first group is what is wanted; one without a group is reported too. */
export function groupAt(text: string, here: SpecLocation): RegExp {
  const pattern = patternAt(text, here);
  // With an empty alternative it fits every text, and tells how many groups it has.
  if (new RegExp(`${pattern.source}|`).exec('')?.length === 1 && pattern.source !== NOTHING_FITS.source)
    here.report(`"${text}" has no group`, 'put what is wanted into parentheses: ^([^/]+)/');
  return pattern;
}
