// The HTTP server that all sample services share. It can be made slow or broken, so that a gateway has something to handle.

import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A sample service, not listening yet. It cannot be reopened after `close`. */
export type LegacyService = ReturnType<typeof createLegacyService>;

/** What is wrong with a sample service for a while. */
export type Trouble = {
  /** How much later each answer comes. */
  readonly delayMs: number;
  /** Every n-th answer is a 500; 0: none. */
  readonly failEvery: number;
};

/** The options of every sample service besides its data and credentials. */
export type LegacyServiceOptions = {
  /** An additional delay of each answer. */
  readonly latencyMs?: number | undefined;
  /** A text that stands in every secret field, so that a test can search outputs for it; by default none. */
  readonly secretMarker?: string | undefined;
};

/** A request as the services see it. The path is still percent-encoded; of repeated parameters, the first counts. */
export type LegacyRequest = ReturnType<typeof readRequest>;

/** A complete answer; its Content-Length is added when it is sent. */
export type LegacyAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
};

/** An answer of text, by its media type. */
export function textAnswer(status: number, body: LegacyAnswer['body'], type = 'text/plain'): LegacyAnswer {
  return { status, headers: { 'Content-Type': type }, body };
}

/** Serves what `answer` returns over HTTP. An answer that throws becomes a plain 500. */
export function createLegacyService(
  answer: (request: LegacyRequest) => LegacyAnswer | Promise<LegacyAnswer>,
  latencyMs = 0,
) {
  let requests = 0;
  let trouble: Trouble = { delayMs: 0, failEvery: 0 };
  const stopped = new AbortController();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const isFailing = trouble.failEvery > 0 && requests % trouble.failEvery === 0;
    const delayMs = latencyMs + trouble.delayMs;
    try {
      if (delayMs > 0) await pause(delayMs, undefined, { signal: stopped.signal });
      if (isFailing) throw new Error('disturbed');
      send(response, await answer(readRequest(request)));
    } catch {
      send(response, textAnswer(500, 'Internal Server Error'));
    }
  }

  const server = createServer((request, response) => void serve(request, response));

  return {
    server,
    /** Starts on `port` (0: a free one) of `host`. Rejects if it cannot. */
    async listen(port = 0, host = '127.0.0.1') {
      server.listen(port, host);
      await once(server, 'listening');
      const bound = (server.address() as AddressInfo).port;
      return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound };
    },
    /** Drops every connection, idle and busy ones too, and resolves when the port is free. */
    async close() {
      stopped.abort();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    /** The number of requests so far, refused ones included. */
    get requests() {
      return requests;
    },
    /** Makes answers come late or fail from now on. */
    disturb(next: Trouble): void {
      trouble = next;
    },
  };
}

function readRequest(request: IncomingMessage) {
  const target = request.url ?? '';
  const mark = target.indexOf('?');
  return {
    method: request.method ?? '',
    path: mark === -1 ? target : target.slice(0, mark),
    params: new URLSearchParams(mark === -1 ? '' : target.slice(mark)),
    headers: request.headers,
    body: request as AsyncIterable<Uint8Array>,
  };
}

function send(response: ServerResponse, { status, headers, body }: LegacyAnswer): void {
  // The headers are already sent, so only a broken connection can report the failure.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}
