import type { Dialect } from './serve.ts';

/** One dialect: its service, the address of its list, and what a person's hand-written source says of it. */
export type DialectCase = {
  readonly example: string;
  readonly resource: 'users' | 'products';
  readonly dialect: () => Dialect;
  /** The bare address that everything starts from. */
  readonly list: string;
  /** The body of the list's request, where the protocol has one. */
  readonly body?: string;
  /** The request for one record, where the protocol needs it said. */
  readonly oneBody?: string;
  /** Where the example's own address ends on this service. */
  readonly base: string;
  /** The most lines that may say EDIT. */
  readonly edits: number;
  /** What a person does with the draft, in answer to its remarks: from, to. */
  readonly corrections?: readonly (readonly [string, string])[];
  /** Where the draft says otherwise than the hand-written source, and that is right: no reply told more. */
  readonly differs?: readonly string[];
};
