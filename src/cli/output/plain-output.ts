import type { CliContext } from '../context.ts';

/** Characters that a terminal obeys, or that turn the direction of what follows; lines and tabs are none. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function plain(text: string): string {
  return text.replaceAll(
    OBEYED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Output that shows what a reply says, and never does it: `\u001b` in place of the escape character. */
export function withPlainOutput(context: CliContext): CliContext {
  return {
    ...context,
    out: (text) => context.out(plain(text)),
    err: (text) => context.err(plain(text)),
  };
}
