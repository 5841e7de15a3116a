import { net as netSchema } from '../../config/schema/connection.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { networkFault } from '../../upstream/transport/network-fault.ts';
import { createTransport } from '../../upstream/transport/transport.ts';
import { type Recipe, requestOf } from './request-template.ts';
import { InferError } from '../infer-error.ts';

/** Asks a service, one call after the other and no more than are allowed. It only reads. */
export type Asker = {
  /** @throws InferError where no reply comes, or no call is left */
  ask(recipe: Recipe, options?: { readonly withoutCredential?: boolean }): Promise<UpstreamReply>;
  /** Calls that may still be made. */
  readonly left: number;
  /** Calls made, and the time they took, in milliseconds. */
  readonly made: { readonly calls: number; readonly ms: number };
  /** Media types asked for from now on. */
  accept: string;
  close(): void;
};

/** What the service is, and how much it may be asked. */
export type AskerOptions = {
  readonly baseUrl: string;
  /** Headers of every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Those and the query parameters that are the credential. */
  readonly credential: {
    readonly headers: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
  };
  readonly reveal: (recipe: Recipe) => Recipe;
  readonly callsMax: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

const BYTES_MAX = '32MiB';

function withParameters(target: string, parameters: Readonly<Record<string, string>>): string {
  const query = Object.entries(parameters).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  if (query.length === 0) return target;
  return `${target}${target.includes('?') ? '&' : '?'}${query.join('&')}`;
}

function tellFailure(error: unknown, timedOut: boolean): InferError {
  if (timedOut)
    return new InferError('the service did not answer in time', 'try --timeout with more than this');
  const fault = error instanceof GatewayError ? error : networkFault(error);
  const detail = fault.detail ?? fault.message;
  return new InferError(
    detail.replaceAll('net.bytesMax', BYTES_MAX),
    'is the address right, and does it answer from here?',
  );
}

/** Creates the only way by which a service is asked. */
export function createAsker(options: AskerOptions): Asker {
  const { baseUrl, credential, signal } = options;
  const net = netSchema.parse({ baseUrl, bytesMax: BYTES_MAX });
  const transport = createTransport(net);
  let [calls, ms] = [0, 0];
  let accept = 'application/json, application/*+json;q=0.9, */*;q=0.5';

  function outgoing(recipe: Recipe, anonymous: boolean) {
    const { method, target, headers, body } = requestOf(options.reveal(recipe));
    return {
      method,
      url: baseUrl + withParameters(target, anonymous ? {} : credential.query),
      headers: {
        Accept: accept,
        ...options.headers,
        ...headers,
        ...(body && { 'Content-Type': body.contentType }),
        ...(anonymous ? {} : credential.headers),
      },
      body: body?.text,
    };
  }

  return {
    async ask(recipe, { withoutCredential = false } = {}) {
      if (calls >= options.callsMax) throw new InferError('no call is left', 'allow more with --calls-max');
      calls += 1;
      const start = performance.now();
      const deadline = AbortSignal.timeout(options.timeoutMs);
      try {
        return await transport.send({
          ...outgoing(recipe, withoutCredential),
          signal: AbortSignal.any([signal, deadline]),
        });
      } catch (error) {
        if (signal.aborted) throw new InferError('stopped');
        throw tellFailure(error, deadline.aborted);
      } finally {
        ms += performance.now() - start;
      }
    },
    get left() {
      return options.callsMax - calls;
    },
    get made() {
      return { calls, ms };
    },
    get accept() {
      return accept;
    },
    set accept(types) {
      accept = types;
    },
    close: () => transport.close(),
  };
}
