import type { Handler } from './stages/call.ts';

/** An operation that can be served. */
export type ServedOperation = {
  readonly operation: string;
  readonly path: string;
  /** `null` where the resource is public. */
  readonly permission: string | null;
  readonly handler: Handler;
};
