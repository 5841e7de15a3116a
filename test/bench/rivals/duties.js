import { hash, randomBytes } from 'node:crypto';
import pino from 'pino';
import { KEY, POINTS_PER_SECOND } from './serve.js';

/*
 * The duties of Portico's answers, written straight down for one caller and one route, with nothing to configure and
 * nothing to recover from. So a server with them shows what the duties cost at least.
 */

/** The parts that a server has, besides the headers: all by default. */
const parts = new Set((process.env.DUTIES ?? 'caller,redis,log').split(','));
export const has = (part) => parts.has(part);

const log = pino(pino.destination({ minLength: 4_096, sync: false }));
const callers = new Map([[KEY, { id: 'bench', second: 0, minute: 0 }]]);

/** The caller of a request; the limit of one process is counted in memory. */
function admit({ headers: { authorization = '' } }) {
  const caller = callers.get(authorization.slice('Bearer '.length));
  if (caller === undefined) throw new Error('unauthorized');
  caller.second += 1;
  caller.minute += 1;
  if (caller.second > POINTS_PER_SECOND * 1_000) throw new Error('too many requests');
  return caller;
}

function logLine() {
  const { req, duty } = this;
  const { requestId, caller, upstreamCalls, upstreamMs, startedAt } = duty;
  log.info(
    {
      requestId,
      operation: 'users.list',
      method: req.method,
      status: this.statusCode,
      caller: caller.id,
      durationMs: performance.now() - startedAt,
      upstreamCalls,
      upstreamMs,
    },
    'request',
  );
}

/** Admits a request, and writes its line once it is answered. */
export function open(req, res) {
  const startedAt = performance.now();
  const caller = has('caller') ? admit(req) : callers.get(KEY);
  const requestId = has('caller') ? `req_${randomBytes(16).toString('base64url')}` : 'req_of-every-answer';
  res.duty = { requestId, caller, startedAt, upstreamCalls: 0, upstreamMs: 0 };
  // Without a closure, which would be made anew for each request.
  if (has('log')) res.on('finish', logLine);
  return res.duty;
}

/** The headers of every answer, as a flat list: a third of the price of an object. */
export function sharedHeaders({ requestId, caller }) {
  const [second, minute] = [POINTS_PER_SECOND, POINTS_PER_SECOND * 60];
  return [
    'X-Request-Id',
    requestId,
    'RateLimit',
    `"1s";r=${second - (caller.second % second)};t=1, "60s";r=${minute - (caller.minute % minute)};t=60`,
    'RateLimit-Policy',
    `"1s";q=${second};w=1, "60s";q=${minute};w=60`,
    'X-Content-Type-Options',
    'nosniff',
  ];
}

/** Sends an answer that may be kept. Its head and its body are one text, so one write of Node. */
export function send(res, { body, etag, status }) {
  const headers = sharedHeaders(res.duty);
  headers.push(
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(body.length),
    'ETag',
    etag,
    'Age',
    '0',
    'Cache-Control',
    'private, max-age=600',
    'Cache-Status',
    status,
    'Content-Security-Policy',
    "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy',
    'same-origin',
    'Referrer-Policy',
    'no-referrer',
    'Vary',
    'Authorization, X-API-Key, Accept-Encoding',
  );
  res.writeHead(200, headers);
  res.end(body.toString('latin1'), 'latin1');
}

/** A strong ETag of a body. */
export const etagOf = (body) => `"${hash('sha1', body, 'base64url')}"`;
