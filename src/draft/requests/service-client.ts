import type { RequestSpec } from '../../config/schema/source.ts';
import { net as netSchema } from '../../config/schema/connection.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { networkFault } from '../../upstream/transport/network-fault.ts';
import { createTransport } from '../../upstream/transport/transport.ts';
import { literalRequest } from './request-parameters.ts';
import { InferError } from '../infer-error.ts';

/** Sends requests to a service, one at a time and within a budget of calls. It only reads. */
export type ServiceClient = {
  /** @throws InferError if no reply comes, or the calls are used up */
  send(request: RequestSpec, options?: { readonly withoutCredential?: boolean }): Promise<UpstreamReply>;
  /** The number of calls left. */
  readonly callsLeft: number;
  /** The number of calls made, and their total time in milliseconds. */
  readonly usage: { readonly calls: number; readonly ms: number };
  /** The `Accept` header of the next requests. */
  accept: string;
  close(): void;
};

/** The service, and the budget of calls. */
export type ServiceClientOptions = {
  readonly baseUrl: string;
  /** Headers of every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** The headers and query parameters that are the credential. */
  readonly credential: {
    readonly headers: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
  };
  readonly reveal: (request: RequestSpec) => RequestSpec;
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
  if (timedOut) return new InferError('the service did not answer in time', 'try a longer --timeout');
  const fault = error instanceof GatewayError ? error : networkFault(error);
  const detail = fault.detail ?? fault.message;
  return new InferError(
    detail.replaceAll('net.bytesMax', BYTES_MAX),
    'check the address, and that the service can be reached from here',
  );
}

/** Creates the client. All requests of a draft go through it. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { baseUrl, credential, signal } = options;
  const net = netSchema.parse({ baseUrl, bytesMax: BYTES_MAX });
  const transport = createTransport(net);
  let [calls, ms] = [0, 0];
  let accept = 'application/json, application/*+json;q=0.9, */*;q=0.5';

  function outgoing(request: RequestSpec, anonymous: boolean) {
    const { method, target, headers, body } = literalRequest(options.reveal(request));
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
    async send(request, { withoutCredential = false } = {}) {
      if (calls >= options.callsMax)
        throw new InferError('the calls are used up', 'allow more with --calls-max');
      calls += 1;
      const start = performance.now();
      const deadline = AbortSignal.timeout(options.timeoutMs);
      try {
        return await transport.send({
          ...outgoing(request, withoutCredential),
          signal: AbortSignal.any([signal, deadline]),
        });
      } catch (error) {
        if (signal.aborted) throw new InferError('stopped');
        throw tellFailure(error, deadline.aborted);
      } finally {
        ms += performance.now() - start;
      }
    },
    get callsLeft() {
      return options.callsMax - calls;
    },
    get usage() {
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
