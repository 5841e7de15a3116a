// Sends the requests of `infer` to the service, within its budget of calls and with errors that an operator understands.

import {
  sourceAuth,
  decode as decodeSchema,
  net as netSchema,
} from '../../../config/schema/net/connection.ts';
import type { ConnectionSpec, RequestSpec } from '../../../config/schema/source.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { createCommandClient, openSession, SessionBudgetSpent } from '../../doctor/session/source-session.ts';
import { InferError } from '../notes/note.ts';
import type { InferTarget } from './read-target.ts';
import { literalRequest } from './request-parameters.ts';

/** Sends requests to a service, one at a time, in a session with a budget of calls. It only reads. */
export type ServiceClient = {
  /** @throws InferError if no reply comes, or the calls are used up */
  send(request: RequestSpec, options?: { readonly withoutCredential?: boolean }): Promise<UpstreamReply>;
  readonly baseUrl: string;
  readonly callsLeft: number;
  /** The number of calls made, and their total time in milliseconds. */
  readonly usage: { readonly upstreamCalls: number; readonly upstreamMs: number };
  /** The `Accept` header of the next requests. */
  accept: string;
  close(): void;
};

const BYTES_MAX = '32MiB';

/** The connection that a draft describes, with the values of its variables. */
function connectionOf(
  { baseUrl, secrets }: InferTarget,
  headers: Readonly<Record<string, string>>,
  auth: InferTarget['auth'] = { kind: 'none' },
  timeoutMs: number,
): ConnectionSpec {
  const net = { baseUrl, headers: secrets.reveal(headers), bytesMax: BYTES_MAX, timeout: `${timeoutMs}ms` };
  const credential = sourceAuth.safeParse(secrets.reveal(auth));
  if (!credential.success)
    throw new InferError('a part of the credential is empty', 'give all of it: --header, or user:password@');
  return { net: netSchema.parse(net), auth: credential.data, decode: decodeSchema.parse({}) };
}

function toInferError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new InferError('stopped');
  if (error instanceof SessionBudgetSpent)
    return new InferError('the calls are used up', 'allow more with --calls-max');
  if (!(error instanceof GatewayError)) return error;
  if (error.code === 'upstream_timeout')
    return new InferError('the service did not answer in time', 'try a longer --timeout', true);
  return new InferError(
    (error.detail ?? error.message).replaceAll('net.bytesMax', BYTES_MAX),
    'check the address, and that the service can be reached from here',
    error.code === 'upstream_unavailable',
  );
}

/** Opens the session. All requests of a draft go through it. @throws InferError if the credential is not usable */
export function createServiceClient(
  target: InferTarget,
  {
    callsMax,
    timeoutMs,
    signal,
  }: { readonly callsMax: number; readonly timeoutMs: number; readonly signal: AbortSignal },
): ServiceClient {
  const { headers, constants, auth, secrets } = target;
  const session = openSession(connectionOf(target, headers, auth, timeoutMs), { callsMax });
  const anonymous = session.openPart(
    {},
    createCommandClient(connectionOf(target, constants, undefined, timeoutMs)),
  );
  const usage = { upstreamCalls: 0, upstreamMs: 0 };
  const client: ServiceClient = {
    baseUrl: target.baseUrl,
    async send(request, { withoutCredential = false } = {}) {
      const { upstream } = withoutCredential ? anonymous : session;
      const plain = literalRequest(secrets.reveal(request));
      const outgoing = { ...plain, headers: { Accept: client.accept, ...plain.headers } };
      try {
        return await upstream.ask(outgoing, (reply) => reply, signal, usage);
      } catch (error) {
        throw toInferError(error, signal);
      }
    },
    get callsLeft() {
      return session.callsLeft;
    },
    usage,
    accept: 'application/json, application/*+json;q=0.9, */*;q=0.5',
    close() {
      session.close();
      anonymous.close();
    },
  };
  return client;
}
