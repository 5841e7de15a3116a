// Reads the header by which a caller with the permission chooses the source himself.

import type { Origin } from '../../kernel/upstream-call.ts';
import type { Call } from '../../policy/call.ts';

/** The permission of a caller who may choose the source himself. */
export const OVERRIDE_PERMISSION = 'migration:override';

/** The source that a caller with the permission has chosen; `undefined`: none, or it may not. Other values are ignored. */
export function overrideOf(call: Call, header: string): Origin | undefined {
  if (call.principal?.permissions.has(OVERRIDE_PERMISSION) !== true) return undefined;
  const [value, ...more] = call.headerLines(header);
  const isOne = more.length === 0 && (value === 'legacy' || value === 'new');
  return isOne ? value : undefined;
}
