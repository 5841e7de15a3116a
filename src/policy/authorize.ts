import { fault } from '../errors/fault.ts';
import type { Stage } from './call.ts';

/**
 * The stage that lets a caller through who holds the permission of the operation, or anyone where it needs none.
 * Stands behind `authenticate`. A refusal names what is missing, as RFC 6750, section 3.1, has it.
 */
export const authorize: Stage = (next) => (call) => {
  const { permission, principal } = call;
  if (permission === null || principal?.permissions.has(permission) === true) return next(call);
  throw fault('insufficient_permissions', {
    message: `The credential lacks the permission ${permission}.`,
    headers: {
      'WWW-Authenticate': `Bearer realm="portico", error="insufficient_scope", scope="${permission}"`,
    },
  });
};
