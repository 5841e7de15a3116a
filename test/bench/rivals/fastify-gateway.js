// The same duties from Fastify's own plugins: bearer keys, a limit in Redis, a cache in memory, ETag, its logger.
import bearerAuth from '@fastify/bearer-auth';
import caching from '@fastify/caching';
import etag from '@fastify/etag';
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import { Redis } from 'ioredis';
import { KEY, POINTS_PER_SECOND, REDIS_URL, UPSTREAM_URL } from './serve.js';
import { legacyUrl, pageOf, translate } from './translate.js';

const SECONDS_KEPT = 600;
const app = fastify({ logger: true });
await app.register(rateLimit, {
  max: POINTS_PER_SECOND,
  timeWindow: 1_000,
  redis: new Redis(REDIS_URL),
  nameSpace: 'fastify:limit:',
  keyGenerator: (request) => request.headers.authorization ?? request.ip,
});
await app.register(bearerAuth, { keys: new Set([KEY]) });
await app.register(etag);
await app.register(caching, { privacy: caching.privacy.PRIVATE, expiresIn: 10 });

const kept = (key) =>
  new Promise((resolve, reject) =>
    app.cache.get(key, (error, found) => (error ? reject(error) : resolve(found?.item))),
  );
const keep = (key, body) =>
  new Promise((resolve, reject) =>
    app.cache.set(key, body, SECONDS_KEPT * 1_000, (error) => (error ? reject(error) : resolve())),
  );

app.get('/v1/users', async (request, reply) => {
  reply.type('application/json; charset=utf-8');
  const found = await kept(request.url);
  if (found) return found;
  const page = pageOf(request.query);
  const answer = await fetch(legacyUrl(UPSTREAM_URL, page));
  const body = JSON.stringify(translate(await answer.json(), page));
  await keep(request.url, body);
  return body;
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.error(`listening ${app.server.address().port}`);
