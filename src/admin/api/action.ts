import type * as z from 'zod';

/** What a token of the operator's listener may do: read, or change things too. */
export type Role = 'viewer' | 'operator';

/** Who asks for an action: the name of a token, or what stands for one, and from which address where that is known. */
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

/** A value that nobody changes. */
export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** What somebody gets who reads by this schema; nobody changes it. */
export type Parsed<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

/** What an action promises: where it is asked for, by whom, with what, and what it answers. */
export type ActionSpec = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** The path, with its variable segments as `{id}`. */
  readonly path: `/api/${string}`;
  readonly role: Role;
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  /** What an answer may be besides 200, and which of these a value is. */
  readonly answers?: {
    readonly descriptions: Readonly<Record<number, string>>;
    readonly statusOf: (value: unknown) => number;
  };
};

/** Whether an action takes its input from a body; otherwise from the query. Variable segments of the path apart. */
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
