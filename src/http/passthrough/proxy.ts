import type { ClientRequest, IncomingMessage } from 'node:http';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { fault } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import { networkFault } from '../../upstream/transport/network-fault.ts';
import type { Destination, Journey } from './proxy-request.ts';
import { cut, relay } from './relay.ts';

/** A journey to one destination, from its departure until nothing is under way any more. */
type Underway = {
  readonly journey: Journey;
  readonly destination: Destination;
  /** Tells the status of an answer that was passed on, all of it. */
  readonly resolve: (status: number) => void;
  readonly reject: (reason: unknown) => void;
  sentAt: number;
  attempts: number;
  /** The upstream's answer, and whether the caller has begun to receive it. */
  answer: IncomingMessage | undefined;
  isRelayed: boolean;
};

/** Where a request carries its journey: a weak map would keep each until a full collection of garbage. */
const JOURNEY = Symbol('journey');
type Carrier = (IncomingMessage | ClientRequest) & { [JOURNEY]?: Underway };

/**
 * Sends a journey to a destination. Resolves with the answer's status once it was passed on.
 * @throws GatewayError `upstream_unavailable`, `upstream_error`; if half of an answer was out, its connection is cut
 * @throws unknown the reason of the journey's signal
 */
export type Send = (journey: Journey, destination: Destination) => Promise<number>;

/**
 * Makes the function that sends journeys through http-proxy-middleware. One middleware serves all routes: each
 * instance would hang a listener of its own on the server. Its default plugins are ejected, for they append an
 * error text to answers that broke half-way; the answer is relayed here, so that only chosen headers return.
 */
export function createProxy(clock: Clock): Send {
  const relayPlugin: Plugin = (server) => {
    server.on('proxyReq', (call, req) => withJourney(req, (underway) => depart(underway, call)));
    server.on('proxyRes', (answer, req) => withJourney(req, (underway) => arrive(underway, answer)));
    server.on(
      'error',
      (error, req) => req !== undefined && withJourney(req, (underway) => lose(underway, error)),
    );
  };
  const proxy = createProxyMiddleware({
    router(req, _res, options) {
      const underway = (req as Carrier)[JOURNEY];
      if (underway === undefined) throw new Error('a request without a journey');
      const { journey, destination } = underway;
      req.url = journey.path;
      // These are this request's own copy of the options, which is where httpxy looks for both.
      options.agent = destination.agent;
      if (journey.body !== undefined) options.buffer = journey.body;
      return destination;
    },
    pathFilter: () => true,
    selfHandleResponse: true,
    ejectPlugins: true,
    plugins: [relayPlugin],
  });

  function withJourney(req: IncomingMessage, act: (underway: Underway) => void) {
    const underway = (req as Carrier)[JOURNEY];
    if (underway !== undefined) act(underway);
  }

  function go(underway: Underway) {
    const { journey } = underway;
    underway.attempts += 1;
    underway.sentAt = clock.monotonic();
    // The path was admitted long ago. A filter would parse it as a URL first, unless there is none.
    journey.req.url = '';
    void proxy(journey.req, journey.exchange.res, (thrown) => lose(underway, thrown));
  }

  /** An upstream connection is there. */
  function depart(underway: Underway, call: ClientRequest) {
    const { journey } = underway;
    journey.waiting.call = call;
    journey.exchange.trace.upstreamCalls += 1;
    (call as Carrier)[JOURNEY] = underway;
    call.once('close', onCallClose);
    // Nobody asked for another protocol. Left alone, Node would drop the connection without telling of an error.
    call.once('upgrade', onUpgrade);
    if (journey.signal.aborted) call.destroy();
  }

  function arrive(underway: Underway, answer: IncomingMessage) {
    const { journey, destination } = underway;
    const { exchange } = journey;
    underway.answer = answer;
    journey.waiting.isAnswered = true;
    exchange.trace.upstreamMs += clock.monotonic() - underway.sentAt;
    answer.on('error', (error) => lose(underway, error));
    try {
      if (exchange.res.headersSent || journey.signal.aborted) answer.destroy();
      else {
        relay(journey, destination, journey.waiting.call, answer);
        underway.isRelayed = true;
      }
    } catch (thrown) {
      underway.reject(thrown);
      // At once: httpxy ends the client's connection where an answer ends before its time.
      exchange.fail(thrown);
      answer.destroy();
    }
  }

  /** It failed. What was never received is sent once more; half an answer has an end that nobody can overlook. */
  function lose(underway: Underway, cause: unknown) {
    const { journey, answer } = underway;
    const { call } = journey.waiting;
    // The upstream closed an idle connection just when we took it up again: the usual race, and no sign of illness.
    const isUnlucky = answer === undefined && underway.attempts === 1 && call?.reusedSocket === true;
    if (isUnlucky && journey.repeatable && !journey.signal.aborted) {
      journey.waiting.call = undefined;
      dropIdle(underway.destination);
      go(underway);
    } else if (hasBegun(underway)) breakOff(underway);
    else underway.reject(networkFault(cause));
  }

  return (journey, destination) =>
    new Promise((resolve, reject) => {
      const rest = { sentAt: 0, attempts: 0, answer: undefined, isRelayed: false };
      const underway: Underway = { journey, destination, resolve, reject, ...rest };
      const { req, signal } = journey;
      // What httpxy sends is what it finds here.
      req.headers = journey.headers;
      journey.headers['host'] = destination.url.host;
      (req as Carrier)[JOURNEY] = underway;
      // A closure that the call itself held would keep each request until a full collection of garbage.
      signal.addEventListener('abort', () => stop(underway), { once: true });
      go(underway);
    });
}

/** Nothing of a call is under way any more, and its connection is about to be free. */
function onCallClose(this: ClientRequest): void {
  const underway = (this as Carrier)[JOURNEY];
  if (underway === undefined || underway.journey.waiting.call !== this) return;
  const { answer, resolve } = underway;
  if (answer?.complete === true) resolve(answer.statusCode ?? 0);
  else breakOff(underway);
}

/** Whether anything of an answer came. */
function hasBegun({ journey, answer }: Underway): boolean {
  const { call } = journey.waiting;
  return answer !== undefined || (call?.reusedSocket === false && (call.socket?.bytesRead ?? 0) > 0);
}

function breakOff({ journey, answer, isRelayed, reject }: Underway): void {
  if (isRelayed && answer?.complete === false) cut(journey.exchange.res);
  reject(fault('upstream_error', { detail: 'the upstream broke off' }));
}

function onUpgrade(this: ClientRequest, _answer: IncomingMessage, socket: { destroy(): unknown }): void {
  socket.destroy();
  (this as Carrier)[JOURNEY]?.reject(fault('upstream_error', { detail: 'the upstream switched protocols' }));
}

/** Ends connections that nobody uses: where one was closed by the other side, the others have been, too. */
function dropIdle({ agent }: Destination): void {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

/** Ends the upstream call, and an answer that is under way. */
function stop({ journey, isRelayed, reject }: Underway): void {
  const { req, exchange, signal, waiting } = journey;
  reject(signal.reason);
  waiting.call?.destroy();
  // What is left of the request body is for nobody; unread, it would block the connection for ever.
  req.unpipe();
  req.resume();
  if (isRelayed) cut(exchange.res);
}
