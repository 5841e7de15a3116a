// Finds what a request of a host's application (Express, Connect, or `node:http` itself) asks for, below which path it is mounted,
// and who calls, without changing the request.

import type { IncomingMessage } from 'node:http';
import type { Express } from 'express';
import type { Caller, Mount } from './request-context.ts';
import { normaliseTarget, parseRequestTarget, type RequestTarget } from './request-head.ts';
import { isUnder } from './routes.ts';

/** Below a path, Express and Connect cut that path off `url`, and keep the whole as `originalUrl`. */
type HostRequest = IncomingMessage & { readonly originalUrl?: unknown; readonly baseUrl?: unknown };

/** The path below which the gateway is mounted. Connect does not say it, but the rest of `originalUrl` is known. */
function mountPathOf({ baseUrl, url = '' }: HostRequest, received: string): string {
  if (typeof baseUrl === 'string') return baseUrl;
  if (received === url) return '';
  // Connect puts a slash in front of a rest that has none.
  const rest = received.endsWith(url) ? url : url.slice(1);
  if (!received.endsWith(rest)) return '';
  return received.slice(0, received.length - rest.length);
}

/** Makes the function that reads a caller by Express' own getters and the settings of `app`, because a host may have others. */
function createReadCaller(app: Express): (req: IncomingMessage, received: string) => Caller {
  class HostedCaller {
    readonly #req: IncomingMessage;
    readonly #received: string;
    constructor(req: IncomingMessage, received: string) {
      this.#req = req;
      this.#received = received;
    }
    get socket() {
      return this.#req.socket;
    }
    get headers() {
      const seen = { url: '', headers: { ...this.#req.headers } };
      if (!this.#received.startsWith('/')) normaliseTarget(seen, this.#received);
      return seen.headers;
    }
  }
  Object.setPrototypeOf(HostedCaller.prototype, app.request);
  return (req, received) => new HostedCaller(req, received) as unknown as Caller;
}

/** A request of a host, and what it asks of the gateway; `undefined`: nothing below the path of the gateway. */
type MountedRequest = { readonly mount: Mount; readonly asked: RequestTarget | undefined };

/** Makes the function that finds what a host's request asks of the gateway, without a change to the request. */
export function createReadMount(app: Express): (req: HostRequest) => MountedRequest {
  const readCaller = createReadCaller(app);
  return function readMount(req) {
    const received = typeof req.originalUrl === 'string' ? req.originalUrl : (req.url ?? '');
    const path = mountPathOf(req, received);
    const whole = parseRequestTarget(received);
    const target = received.startsWith('/') ? received.slice(path.length) : received;
    const mount = { path, target, caller: readCaller(req, received) };
    if (whole === undefined || !isUnder(path, whole.path)) return { mount, asked: undefined };
    return { mount, asked: { path: whole.path.slice(path.length), query: whole.query } };
  };
}
