import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as a dialect sees it. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly origin: string;
};

/** A reply; a body that is no text or bytes is written as JSON. */
export type Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** A service in one dialect. */
export type Dialect = (asked: Asked) => Reply;

/** A service that listens. */
export type Served = { readonly origin: string; readonly asked: readonly Asked[]; close(): Promise<void> };

/** The credential of every dialect's service. */
export const TOKEN = 'a-token-of-the-dialect-tests';

/** Serves a dialect on a free port; without the token it answers 401. */
export async function serve(dialect: Dialect, { open = false } = {}): Promise<Served> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const origin = `http://${request.headers.host ?? ''}`;
      const url = new URL(request.url ?? '', origin);
      const one: Asked = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: await text(request),
        origin,
      };
      asked.push(one);
      const known = open || request.headers.authorization === `Bearer ${TOKEN}`;
      const {
        status = 200,
        headers = {},
        body = '',
      } = known ? dialect(one) : { status: 401, body: { error: 'unauthorized' } };
      const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(bytes);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A whole number among the parameters. */
export function whole(query: URLSearchParams, name: string, fallback: number): number {
  const value = query.get(name);
  return value !== null && /^\d+$/.test(value) ? Number(value) : fallback;
}

export const notFound: Reply = { status: 404, body: { error: 'Not Found' } };
