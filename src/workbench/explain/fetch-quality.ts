import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { ResourceQuality } from '../../pipeline/quality.ts';

/** The longest that the gateway may take to answer. */
const TIMEOUT_MS = 5_000;

/** The address of the admin listener, as seen from the same machine. */
export function adminAddress({ host, port }: GatewayConfig['admin']): string {
  const near = host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
}

/** A token that a configuration holds as a text; of some it has only the hash. */
export function tokenOf({ token, tokens }: GatewayConfig['admin']): Secret | undefined {
  return token ?? tokens.find((one) => one.token !== undefined)?.token;
}

/** Asks the admin listener of a running gateway what it has counted. A text says why there is no answer. */
export async function fetchQuality(
  address: string,
  token: string | undefined,
  stop: AbortSignal,
): Promise<readonly ResourceQuality[] | string> {
  const url = `${address.replace(/\/+$/, '')}/api/quality`;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
  let answer: { readonly status: number; readonly body?: unknown };
  try {
    const headers = new Headers(token === undefined ? {} : { Authorization: `Bearer ${token}` });
    const response = await fetch(url, { signal, headers, redirect: 'error' });
    answer = { status: response.status, ...(response.ok && { body: await response.json() }) };
  } catch {
    const hint = 'is the gateway running? --gateway names another address, --live reads the source itself';
    return `no answer from the admin listener at ${url}; ${hint}`;
  }
  if (answer.status === 401)
    return `${url} asks for a token, and has none of those of admin here: set PORTICO_ADMIN_TOKEN`;
  const { sources } = (answer.body ?? {}) as { readonly sources?: readonly ResourceQuality[] };
  if (sources?.every(({ views }) => Array.isArray(views)) === true) return sources;
  return `what answers at ${url} is no admin listener of this version of Portico`;
}
