import { sourceSchema } from '../../../../src/config/schema/source.ts';
import { GatewayError } from '../../../../src/kernel/errors/fault.ts';
import type { UpstreamReply } from '../../../../src/kernel/upstream-call.ts';
import { createUpstream, type Upstream } from '../../../../src/source/client/client.ts';
import type { Usage } from '../../../../src/source/client/guard/exchange.ts';
import type { ScriptedUpstream } from '../../../support/upstream/scripted-upstream.ts';

/** A client of an upstream, with what it told and what it cost. */
export type OpenUpstream = {
  readonly upstream: Upstream;
  readonly usage: Usage;
  /** The outcome of every exchange so far. */
  readonly outcomes: readonly string[];
  readonly get: (target?: string, signal?: AbortSignal) => Promise<UpstreamReply>;
  /** The error that a call must fail with. */
  readonly failure: (target?: string, signal?: AbortSignal) => Promise<GatewayError>;
};

const opened: { close(): void }[] = [];

/** Closes every client and upstream of a test; to be called in `afterEach`. */
export async function closeAll(...upstreams: readonly (ScriptedUpstream | undefined)[]): Promise<void> {
  for (const one of opened.splice(0)) one.close();
  for (const upstream of upstreams) await upstream?.close();
}

/** Makes the client of an upstream as a source file would; it is closed by `closeAll`. */
export function openUpstream(
  baseUrl: string,
  net: object = {},
  auth: object = { kind: 'none' },
): OpenUpstream {
  const spec = sourceSchema.parse({
    ...{ source: 1, name: 'shop', outcomes: [{ is: 'ok' }], resources: {} },
    net: { baseUrl, ...net },
    auth,
  });
  const outcomes: string[] = [];
  const usage: Usage = { upstreamCalls: 0, upstreamMs: 0 };
  const upstream = createUpstream(spec, {
    onExchange: (outcome) => void outcomes.push(outcome),
  });
  opened.push(upstream);
  const get = (target = '/x', signal = new AbortController().signal) =>
    upstream.ask({ method: 'GET', target, headers: {}, body: undefined }, (reply) => reply, signal, usage);
  return {
    upstream,
    usage,
    outcomes,
    get,
    async failure(target, signal) {
      const result = await get(target, signal).then(
        ({ status }) => `it answered ${status}`,
        (error: unknown) => error,
      );
      if (result instanceof GatewayError) return result;
      throw new Error('expected a GatewayError', { cause: result });
    },
  };
}

/** An HTTP answer as lines for `answering`, with its Content-Length. */
export function answer(body: string, ...headers: string[]): string[] {
  return [
    'HTTP/1.1 200 OK',
    'Content-Type: application/json',
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ];
}
