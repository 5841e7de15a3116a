import { type ActionProblem, type ActionResult, type ActionSpec, takesBody } from '../../admin/api/action.ts';
import { type ActionName, actionSpecs } from '../../admin/api/action-table.ts';
import { parseExact } from '../../kernel/json/json.ts';
import type { CliContext } from '../context/context.ts';
import { ownToken } from '../input/operator-listener.ts';

/** How a command reaches a running gateway. */
export type GatewayOptions = {
  readonly gateway?: string;
  readonly tokenFile?: string;
  /** Present: no file and no variable is read for it. */
  readonly token?: string | undefined;
};

/** A prune or an import of many keys takes its time. */
const TIMEOUT_MS = 30_000;

function unavailable(reason: string, hint: string): ActionResult {
  return { kind: 'refused', problem: { code: 'unavailable', reason, hint } };
}

/** The request of an action: its path with the variable segments filled in, the rest as query or body. */
function requestOf(name: ActionName, input: Readonly<Record<string, unknown>>) {
  const spec: ActionSpec = actionSpecs[name];
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = spec.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    const value = String(rest.get(key));
    rest.delete(key);
    return encodeURIComponent(value);
  });
  const inBody = takesBody(spec);
  const query = new URLSearchParams();
  if (!inBody) for (const [key, value] of rest) query.set(key, String(value));
  return {
    method: spec.method.toUpperCase(),
    path: query.size === 0 ? filled : `${filled}?${query.toString()}`,
    body: inBody ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  };
}

/** Asks a running gateway to carry out an action. Never rejects. */
export async function askGateway(
  name: ActionName,
  input: Readonly<Record<string, unknown>>,
  options: GatewayOptions & { readonly gateway: string },
  { env, stop }: Pick<CliContext, 'env' | 'stop'>,
): Promise<ActionResult> {
  const { method, path, body } = requestOf(name, input);
  const url = `${options.gateway.replace(/\/+$/, '')}${path}`;
  try {
    const token = options.token ?? ownToken(options.tokenFile, env);
    const response = await fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const value = parseExact(await response.text()) as { readonly error?: ActionProblem };
    if (response.ok) return { kind: 'done', value };
    if (value.error !== undefined) return { kind: 'refused', problem: value.error };
    return unavailable(`what answers at ${url} is no operator's listener`, 'look at --gateway');
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    return unavailable(`no answer from ${url}: ${reason}`, 'look at --gateway, and whether the gateway runs');
  }
}
