import { fault } from '../../kernel/errors/fault.ts';
import type { Stage } from './call.ts';

/**
 * The stage that refuses callers without the permission of the operation, and keys that are limited to other operations; it
 * stands behind `authenticate`. A refusal names what is missing, as in RFC 6750, section 3.1.
 */
export const authorize: Stage = (next) =>
  function authorized(call) {
    const { permission, principal } = call;
    if (principal?.operations?.has(call.operation) === false)
      throw fault('insufficient_permissions', {
        message: `The credential may not use the operation ${call.operation}.`,
        headers: { 'WWW-Authenticate': 'Bearer realm="portico", error="insufficient_scope"' },
      });
    if (permission === null || principal?.permissions.has(permission) === true) return next(call);
    throw fault('insufficient_permissions', {
      message: `The credential lacks the permission ${permission}.`,
      headers: {
        'WWW-Authenticate': `Bearer realm="portico", error="insufficient_scope", scope="${permission}"`,
      },
    });
  };
