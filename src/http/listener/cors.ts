import type { GatewayConfig } from '../../config/schema/gateway.ts';

/** Adds the headers that let scripts of other origins read responses (CORS; Fetch standard, section 3.3). */
export type Cors = {
  /** Appends the headers for a caller with this `Origin`. `exposed` names the headers that a script may read. */
  append(headers: string[], origin: readonly string[], exposed?: string): void;
  /** Appends the headers of the answer to a preflight request. */
  appendPreflight(headers: string[], origin: readonly string[], methods: readonly string[]): void;
  /** The text to append to `Vary`; empty without CORS. */
  readonly vary: string;
};

const EXPOSED_HEADERS =
  'X-Request-Id, ETag, Age, Cache-Status, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, Allow, Deprecation, Sunset';
const ALLOWED_HEADERS = 'Authorization, X-API-Key, If-None-Match';

const noCors: Cors = { append: () => undefined, appendPreflight: () => undefined, vary: '' };

/** Creates CORS for the configured origins, which are compared as exact texts. A response never says `*` for them. */
export function createCors(config: GatewayConfig['cors']): Cors {
  if (config === undefined) return noCors;
  const origins = new Set(config.origins);
  const maxAge = String(config.maxAge);

  function allowed(origin: readonly string[]): string | undefined {
    const [only] = origin;
    return origin.length === 1 && only !== undefined && origins.has(only) ? only : undefined;
  }

  return {
    append(headers, origin, exposed = EXPOSED_HEADERS) {
      const caller = allowed(origin);
      if (caller === undefined) return;
      headers.push('Access-Control-Allow-Origin', caller, 'Access-Control-Expose-Headers', exposed);
    },
    appendPreflight(headers, origin, methods) {
      if (allowed(origin) === undefined) return;
      const readOnly = methods.every((method) => method === 'GET' || method === 'HEAD');
      headers.push('Access-Control-Allow-Methods', methods.join(', '));
      headers.push(
        'Access-Control-Allow-Headers',
        readOnly ? ALLOWED_HEADERS : `${ALLOWED_HEADERS}, Content-Type`,
      );
      headers.push('Access-Control-Max-Age', maxAge);
    },
    vary: ', Origin',
  };
}
