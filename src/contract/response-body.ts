import { invalidReply } from '../errors/fault.ts';
import type { Field, Value } from './fields.ts';
import type { Resource } from './resources.ts';

/** A v1 record: canonical values by field name (`profile.bio` for nested ones). Every field is present. */
export type CanonicalRecord = Readonly<Record<string, Value>> & { readonly id: string };

/** The pagination part of a list's answer. */
export type Meta = { readonly total: number; readonly page: number; readonly limit: number };

/**
 * Builds the object of a view from its fields; other values of the record are ignored. This is the last check before a
 * client: a value that breaks the contract's schema never leaves. The schema has no rules beyond its fields.
 */
function view(fields: readonly Field[], record: CanonicalRecord): Record<string, unknown> {
  const built: Record<string, unknown> = {};
  let refused: string[] | undefined;
  for (const { path, name, accepts } of fields) {
    const value = record[name] ?? null;
    if (!accepts(value)) (refused ??= []).push(name);
    let place = built;
    let depth = 0;
    for (; depth < path.length - 1; depth += 1)
      place = (place[path[depth] as string] ??= {}) as Record<string, unknown>;
    place[path[depth] as string] = value;
  }
  if (refused === undefined) return built;
  const where = refused.join(', ');
  throw invalidReply('contract', `the mapped record does not satisfy the contract at: ${where}`);
}

/**
 * The JSON body of a list.
 * @throws GatewayError `upstream_invalid_response` if a record breaks the contract
 */
export function listBody(resource: Resource, records: readonly CanonicalRecord[], meta: Meta): string {
  const data = records.map((record) => view(resource.itemFields, record));
  return JSON.stringify({ data, meta });
}

/**
 * The JSON body of a single record.
 * @throws GatewayError `upstream_invalid_response` if the record breaks the contract
 */
export function detailBody(resource: Resource, record: CanonicalRecord): string {
  if (resource.detail === null) throw new Error(`${resource.name} has no single-record view`);
  return JSON.stringify({ data: view(resource.detailFields, record) });
}
