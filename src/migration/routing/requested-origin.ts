// Reads the header by which a caller with the permission chooses the source himself.

import type { Origin } from '../../kernel/upstream-call.ts';
import type { Call } from '../../pipeline/stages/call.ts';

/** The permission of a caller who may choose the source himself. */
export const OVERRIDE_PERMISSION = 'migration:override';

/**
 * The source that the caller has chosen by the header; `undefined` without a choice, without the permission, or for another
 * value.
 */
export function requestedOrigin(call: Call, header: string): Origin | undefined {
  if (call.principal?.permissions.has(OVERRIDE_PERMISSION) !== true) return undefined;
  const [value, ...more] = call.headerLines(header);
  const isOne = more.length === 0 && (value === 'legacy' || value === 'new');
  return isOne ? value : undefined;
}
