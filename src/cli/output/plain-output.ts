// Makes texts of replies and files safe to print on a terminal, and to paste into a shell.

import type { CliContext } from '../context/context.ts';

/** Control characters of terminals, and those that change the direction of text; not line breaks and tabs. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text with its control characters written as `\\u001b`. */
export function plain(text: string): string {
  return text.replaceAll(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Escapes control characters in the output, such as `\u001b`, so that a terminal does not obey what a reply holds. */
export function withPlainOutput(context: CliContext): CliContext {
  return {
    ...context,
    out: (text) => context.out(plain(text)),
    err: (text) => context.err(plain(text)),
  };
}

/** Quotes a text for a shell, if it has characters that a shell would interpret. */
export function quoted(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
