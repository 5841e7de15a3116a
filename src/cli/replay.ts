import type { RecordedExchange } from '../config/fixture-schema.ts';
import { fault } from '../errors/fault.ts';
import { type Json, readJson } from '../kernel/json.ts';
import type { UpstreamReply, UpstreamRequest } from '../kernel/upstream.ts';
import type { Upstream } from '../upstream/client.ts';
import { differences } from './compare-json.ts';

/** An upstream that replies what was recorded, once for each time it was recorded, and remembers what was asked. */
export type Replay = {
  readonly upstream: Upstream;
  /** Requests that no recorded exchange was left for, as `METHOD target body`. */
  readonly unexpected: readonly string[];
  /** Recorded requests that were not made. */
  unasked(): readonly string[];
};

function encoded(text: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(text));
  } catch {
    return text;
  }
}

/** A target in one spelling of its percent-encoding, so that a recorded one can be written to be read. */
function spelled(target: string): string {
  const [path = '', ...query] = target.split('?');
  const parts = query
    .join('?')
    .split('&')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      return `${encoded(name)}=${encoded(value.join('='))}`;
    });
  return `${path.split('/').map(encoded).join('/')}?${parts.join('&')}`;
}

function jsonOf(text: string): Json | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function isSameBody(recorded: string | undefined, asked: string | undefined): boolean {
  if (recorded === undefined || asked === undefined || recorded === asked) return recorded === asked;
  const [left, right] = [jsonOf(recorded), jsonOf(asked)];
  return left !== undefined && right !== undefined && differences(left, right).length === 0;
}

function isSame({ request }: RecordedExchange, asked: UpstreamRequest): boolean {
  return (
    request.method === asked.method &&
    spelled(request.target) === spelled(asked.target) &&
    isSameBody(request.body, asked.body?.text) &&
    Object.entries(request.headers).every(([name, value]) => asked.headers[name] === value)
  );
}

function toldRequest(method: string, target: string, body: string | undefined): string {
  return [method, target, ...(body === undefined ? [] : [body])].join(' ');
}

function replyOf({ reply }: RecordedExchange): UpstreamReply {
  const headers = new Map(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const body =
    reply.base64 === undefined ? Buffer.from(reply.body ?? '') : Buffer.from(reply.base64, 'base64');
  return { status: reply.status, header: (name) => headers.get(name), body };
}

/**
 * Creates an upstream that replays exchanges. `shown` knows requests as they were recorded, where that is with secrets
 * masked.
 */
export function createReplay(
  exchanges: readonly RecordedExchange[],
  shown: (request: UpstreamRequest) => UpstreamRequest | undefined = () => undefined,
): Replay {
  const left = [...exchanges];
  const unexpected: string[] = [];
  return {
    unexpected,
    unasked: () => left.map(({ request }) => toldRequest(request.method, request.target, request.body)),
    upstream: {
      ask(request, read, _signal, meter) {
        meter.upstreamCalls += 1;
        const masked = shown(request) ?? request;
        const index = left.findIndex((exchange) => isSame(exchange, request) || isSame(exchange, masked));
        const [exchange] = index < 0 ? [] : left.splice(index, 1);
        if (exchange === undefined) {
          unexpected.push(toldRequest(request.method, request.target, request.body?.text));
          return Promise.reject(fault('upstream_error', { detail: 'no reply to this request was recorded' }));
        }
        return new Promise((resolve) => resolve(read(replyOf(exchange))));
      },
      load: { active: 0, waiting: 0 },
      close: () => undefined,
    },
  };
}
