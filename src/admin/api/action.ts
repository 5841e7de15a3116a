// What an action is: one thing that the console, a command or a program may ask of the operator's listener. Each has a
// specification, a role that may ask for it, and a result.

import * as z from 'zod';
import { deceptiveCharacters } from '../../kernel/control-characters.ts';
import type { DeepReadonly } from '../../kernel/deep-readonly.ts';

/** What a token of the operator's listener may do: a viewer reads, an operator also changes things. */
export type Role = 'viewer' | 'operator';

/** Who asks for an action. `name` is that of the token, or a word for callers without one; `address` is absent if unknown. */
export type Actor = { readonly name: string; readonly role: Role; readonly address?: string };

/** The status of each kind of problem. */
export const problemStatus = {
  bad_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gate: 412,
  too_many: 429,
  failed: 500,
  unavailable: 503,
} as const;

/** Why an action did not happen, and what to do about it. It never holds a secret. */
export type ActionProblem = {
  readonly code: keyof typeof problemStatus;
  readonly reason: string;
  readonly hint: string;
  /** What the gate of a migration still asks for. */
  readonly unmet?: readonly object[] | undefined;
};

/** What became of an action. The value is JSON, because it may come from another process. */
export type ActionResult =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly problem: ActionProblem };

/** The type of what a schema returns, read-only throughout. */
export type Parsed<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

/** The specification of an action: its route, who may use it, its input and its output. */
export type ActionSpec = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** The path, with its variable segments as `{id}`. */
  readonly path: `/api/${string}`;
  readonly role: Role;
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  /** The statuses besides 200, and which status a value is answered with. */
  readonly answers?: {
    readonly descriptions: Readonly<Record<number, string>>;
    readonly statusOf: (value: unknown) => number;
  };
};

/** Specifies a text of `min` to `max` printable characters; others could forge what a terminal shows in a list. */
export function printable(min: number, max: number): z.ZodString {
  const shape = new RegExp(`^[^${deceptiveCharacters}]{${min},${max}}$`, 'u');
  return matching(shape, `${min > 0 ? `${min} to` : 'at most'} ${max} printable characters`);
}

/** A text of this shape. `what` says in a problem what is expected. */
export function matching(shape: RegExp, what: string): z.ZodString {
  return z.string().regex(shape, `expected ${what}`);
}

/** Why somebody changes something; the audit shows it. */
export const reason = printable(1, 200).optional().describe('Why, for the audit.');

/** A moment, as text. */
export const utcTime = z.string().describe('An instant in UTC.');

type Path = ActionSpec['path'];

/** Specifies an action that only reads: a viewer asks for it with GET, and its input is in the path and the query. */
export function readAction<Output extends z.ZodType, Input extends z.ZodRawShape>(
  path: Path,
  summary: string,
  output: Output,
  input: Input,
) {
  return { method: 'get', path, role: 'viewer', summary, input: z.strictObject(input), output } as const;
}

/** Specifies an action that changes something: an operator asks for it with POST, and its input is in the path and the body. */
export function changeAction<Input extends z.ZodRawShape, Output extends z.ZodType>(
  path: Path,
  summary: string,
  input: Input,
  output: Output,
) {
  return { method: 'post', path, role: 'operator', summary, input: z.strictObject(input), output } as const;
}

/** Whether the input of an action comes from the body; otherwise it comes from the query. */
export function takesBody({ method }: Pick<ActionSpec, 'method'>): boolean {
  return method === 'post' || method === 'patch';
}

/** A handler throws it to end an action with a problem. The code that called the handler answers the problem. */
export class ActionRefusal extends Error {
  readonly problem: ActionProblem;

  constructor(code: ActionProblem['code'], reason: string, hint: string, unmet?: ActionProblem['unmet']) {
    super(reason);
    this.name = 'ActionRefusal';
    this.problem = { code, reason, hint, unmet };
  }
}
