import type { Random } from '../../../src/cli/demo/data/random.ts';

/** What must never leave the gateway, wherever a source put it. */
export const REPLY_MARKER = 'secretmarker9f3c27';

/** Changes something; `textKeys` are the names under which a text may leave the gateway. */
export type Mutation<T> = (value: T, random: Random, textKeys: ReadonlySet<string>) => T;

/** Whether a text at these keys can only be unmapped or unreadable. */
export function plantable(keys: readonly string[], textKeys: ReadonlySet<string>): boolean {
  return keys.length > 0 && keys.every((key) => !textKeys.has(key));
}

/** A reply on its way to the wire. */
export type Mutant = {
  status: number;
  /** Lines of the head, framing left out; a repeated name is sent twice. */
  headers: [string, string][];
  body: Buffer;
  /** How the reply is put on the wire. */
  wire: Wire;
  /** The names of the mutations, for the message of a failure. */
  readonly notes: string[];
};

/** The bytes of a reply, and what happens behind them: the connection stays, ends, is reset, or hangs. */
export type Wire = {
  readonly head?: (mutant: Mutant) => string;
  readonly body?: (mutant: Mutant) => Buffer;
  readonly then?: 'keep' | 'end' | 'reset' | 'hang';
};

/** Changes a reply in one way. */
export type ReplyChange = (mutant: Mutant, random: Random) => void;
