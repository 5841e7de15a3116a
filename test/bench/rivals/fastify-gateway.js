// A gateway of Fastify: its own plugins, its validator and its logger, undici, and answers kept in memory and in Redis.
import bearerAuth from '@fastify/bearer-auth';
import etag from '@fastify/etag';
import proxy from '@fastify/http-proxy';
import rateLimit from '@fastify/rate-limit';
import fastify, { LogController } from 'fastify';
import { LRUCache } from 'lru-cache';
import { request } from 'undici';
import { callers, logOutput, redis, SECONDS_KEPT, UPSTREAM_MS_MAX } from './gateway.js';
import { announce, POINTS_PER_SECOND, UPSTREAM_URL } from './serve.js';
import { legacyUrl, pageOf, translate } from './translate.js';

/** One line for each request; by default there are two, and none of them says who called. */
class OneLine extends LogController {
  incomingRequest() {}
  requestCompleted(error, { log, method, url, caller }, { statusCode, elapsedTime }) {
    log.info(
      { err: error ?? undefined, method, url, statusCode, durationMs: elapsedTime, caller },
      'request',
    );
  }
}

const timeouts = { headersTimeout: UPSTREAM_MS_MAX, bodyTimeout: UPSTREAM_MS_MAX };
const [text, whole] = [{ type: 'string' }, { type: 'integer' }];
const object = (properties) => ({ type: 'object', required: Object.keys(properties), properties });
const row = object({ no: whole, first: text, last: text, mail: text, created: text });
const legacyList = object({ total: whole, rows: { type: 'array', items: row } });

async function readUsers(incoming) {
  const page = pageOf(incoming.query);
  const { body } = await request(legacyUrl(UPSTREAM_URL, page), timeouts);
  const list = await body.json();
  if (!incoming.validateInput(list, legacyList)) throw new Error('the list is not as it should be');
  return JSON.stringify(translate(list, page));
}

const badGateway = (reply) => reply.code(502).send({ error: 'bad gateway' });

const app = fastify({ logger: { stream: logOutput }, logController: new OneLine() });
app.decorateRequest('caller', undefined);
await app.register(bearerAuth, {
  keys: new Set(),
  auth(key, incoming) {
    incoming.caller = callers.get(key);
    return incoming.caller !== undefined;
  },
});
await app.register(rateLimit, {
  max: POINTS_PER_SECOND,
  timeWindow: 1_000,
  redis,
  nameSpace: 'fastify:limit:',
  keyGenerator: ({ caller }) => caller,
});
await app.register(etag);
await app.register(proxy, {
  upstream: UPSTREAM_URL,
  prefix: '/orders',
  rewritePrefix: '/orders',
  disableRequestLogging: true,
  undici: timeouts,
  replyOptions: { onError: badGateway },
});

/** A page that neither the memory nor Redis has is asked of the service. */
const inMemory = new LRUCache({ max: 10_000, ttl: 5_000 });
async function usersOf(incoming) {
  const name = `fastify:answer:${incoming.url}`;
  let body = inMemory.get(name);
  if (body !== undefined) return body;
  body = await redis.get(name);
  if (body === null) {
    body = await readUsers(incoming);
    await redis.set(name, body, 'EX', SECONDS_KEPT);
  }
  inMemory.set(name, body);
  return body;
}

app.get('/v1/users', async (incoming, reply) => {
  try {
    const body = await usersOf(incoming);
    reply.header('Cache-Control', `private, max-age=${SECONDS_KEPT}`);
    return reply.type('application/json; charset=utf-8').send(body);
  } catch (error) {
    incoming.log.warn(error, 'the service failed');
    return badGateway(reply);
  }
});
await app.ready();
await announce(app.server);
