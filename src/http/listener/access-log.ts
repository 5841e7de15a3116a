import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import type { GatewayError } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Trace } from '../../policy/call.ts';
import { summariseCause } from '../cause-summary.ts';
import type { RequestContext } from './request-context.ts';

const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/;
// https://www.w3.org/TR/trace-context/#traceparent-header; ids of zeros are invalid.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Makes the function that has pino-http write the one line of an context that is over. Every field is named here, so
 * nothing else of a request can reach the log; fields without a value are left out. A client that left before its
 * answer has `aborted: true`.
 */
export function createAccessLog(log: Logger, clock: Clock): (context: RequestContext) => void {
  const fields = (_req: unknown, res: object) => fieldsOf((res as EndedExchange).context, clock);
  const middleware = pinoHttp<EndedExchange, EndedExchange>({
    logger: childless(log),
    // The defaults serialise the whole request and response, secrets included, for a third of the throughput.
    wrapSerializers: false,
    genReqId: ({ context }) => context.requestId,
    customLogLevel: (_req, { context: { res } }) =>
      res.writableFinished && res.statusCode >= 500 ? 'error' : 'info',
    customSuccessObject: fields,
    customErrorObject: fields,
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  });
  return (context) => {
    const ended = new EndedExchange(context);
    middleware(ended, ended);
    ended.tell();
  };
}

const UNTOLD = new Error('told by the fields of the line');

/**
 * What pino-http is shown in place of a request and its response. It would listen to three events of each response
 * and put four fields on it and its request, for a thing that is known already: that the context is over.
 */
class EndedExchange {
  readonly context: RequestContext;
  #listener: (() => void) | undefined;

  constructor(context: RequestContext) {
    this.context = context;
  }

  /** pino-http would make an error of every status from 500 on, stack and all, for fields that nobody asks it for. */
  get err(): Error | undefined {
    return this.statusCode >= 500 ? UNTOLD : undefined;
  }

  get statusCode(): number {
    return this.context.res.statusCode;
  }

  on(event: string, listener: () => void): this {
    if (event === 'close') this.#listener = listener;
    return this;
  }

  removeListener(): this {
    return this;
  }

  /** The end of the response, as pino-http sees it. */
  tell(): void {
    this.#listener?.();
  }
}

/**
 * A view of the logger whose children are itself. pino-http makes one or two children per request, to bind the
 * request to every line; here the only line per request carries its fields itself.
 */
function childless(log: Logger): Logger {
  const view = Object.create(log) as Logger;
  view.child = (() => view) as unknown as Logger['child'];
  return view;
}

function fieldsOf(context: RequestContext, clock: Clock): Record<string, unknown> {
  const { req, res, trace, head } = context;
  const finished = res.writableFinished;
  // pino looks at every key there is, so the rare ones are put in where they have a value.
  const fields: Record<string, unknown> = {
    requestId: context.requestId,
    operation: context.operation,
    method: req.method,
    status: finished || res.headersSent ? res.statusCode : null,
    aborted: finished ? undefined : true,
    caller: trace.principalId,
    cache: trace.cache === 'none' ? undefined : trace.cache,
    durationMs: Math.round((clock.monotonic() - context.startedAt) * 10) / 10,
  };
  if (trace.upstreamCalls > 0) addUpstream(fields, trace);
  if (trace.wouldRefuse !== undefined) fields['wouldRefuse'] = trace.wouldRefuse;
  if (context.error !== undefined) addError(fields, context.error);
  if (head.requestId.length > 0) fields['clientRequestId'] = clientRequestId(head.requestId);
  if (head.traceparent.length > 0) fields['traceId'] = traceId(head.traceparent);
  return fields;
}

function addUpstream(fields: Record<string, unknown>, { upstreamCalls, upstreamMs }: Trace): void {
  fields['upstreamCalls'] = upstreamCalls;
  fields['upstreamMs'] = Math.round(upstreamMs);
}

function addError(fields: Record<string, unknown>, error: GatewayError): void {
  const { code, reason, detail } = error;
  Object.assign(fields, { code, reason, detail, cause: summariseCause(error) });
}

/** The caller's own request id, if there is one that may stand in a log. */
function clientRequestId(values: readonly string[]): string | undefined {
  const [id] = values;
  return id !== undefined && CLIENT_ID.test(id) ? id : undefined;
}

/** The trace id of a valid `traceparent`. */
function traceId(values: readonly string[]): string | undefined {
  return TRACEPARENT.exec(values[0] ?? '')?.[1];
}
