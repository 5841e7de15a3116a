import type { ResourceName } from '../reference.ts';
import { readSource } from '../../../src/cli/input/read-config.ts';
import type { RequestSpec } from '../../../src/config/schema/source.ts';
import type { CompiledSource } from '../../../src/source/compile-sources.ts';
import type { Dialect } from './serve.ts';

/** One dialect: its service, the address of its list, and what a person's hand-written source says of it. */
export type DialectCase = {
  readonly example: string;
  readonly resource: ResourceName;
  readonly dialect: () => Dialect;
  /** The bare address that everything starts from, where it is not that of the example's list. */
  readonly list?: string;
  /** The request of the list has the body of the example's, with these values for its variables. */
  readonly filled?: Readonly<Record<string, unknown>>;
  /** The body of the list's request, where the protocol has one that is not the example's. */
  readonly body?: string;
  /** The request for one record, where the protocol needs it said. */
  readonly oneBody?: string;
  /** Where the example's own address ends on this service; by default at its origin. */
  readonly base?: string;
  /** The most lines that may say EDIT. */
  readonly edits: number;
  /** What a person does with the draft, in answer to its remarks: from, to. */
  readonly corrections?: readonly (readonly [string, string])[];
  /** Where the draft says otherwise than the hand-written source, and that is right: no reply told more. */
  readonly differs?: readonly string[];
};

/** The hand-written source of a dialect. */
export function exampleOf({ example, resource }: DialectCase): CompiledSource {
  return readSource(`config/examples/${example}.yaml`).find((one) => one.resource.name === resource)!;
}

/** Values in place of the variables of a body; what has no value is left out, as a request leaves it out. */
function fillBody({ body }: RequestSpec, values: Readonly<Record<string, unknown>>): string {
  const { json } = body as { json: unknown };
  return JSON.stringify(json, (_key, leaf: unknown) => {
    const name = typeof leaf === 'string' ? /^\{(\w+)\}$/.exec(leaf)?.[1] : undefined;
    return name === undefined ? leaf : values[name];
  });
}

/** How the list of a dialect's service is asked for. */
export function listOf(one: DialectCase): { readonly path: string; readonly body: string | undefined } {
  const { request } = exampleOf(one).source.spec.resources[one.resource]!.list;
  return {
    path: one.list ?? (one.base ?? '') + request.path,
    body: one.filled === undefined ? one.body : fillBody(request, one.filled),
  };
}
