// A translation by undici with the duties of an answer: a look-up in Redis with a lock before the call, the kept answer after it.
import { hash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import { Redis } from 'ioredis';
import { request } from 'undici';
import { etagOf, has, open, send } from './duties.js';
import { announce, REDIS_URL, UPSTREAM_URL } from './serve.js';
import { legacyUrl, pageOf, translate } from './translate.js';

const redis = new Redis(REDIS_URL, { enableAutoPipelining: true });
redis.defineCommand('lookOrLock', {
  numberOfKeys: 2,
  lua: `local value = redis.call('get', KEYS[1])
if value then return value end
redis.call('set', KEYS[2], ARGV[1], 'NX', 'PX', 3000)
return false`,
});
redis.defineCommand('publishAnswer', {
  numberOfKeys: 2,
  lua: `if redis.call('get', KEYS[2]) ~= ARGV[3] then return 0 end
redis.call('del', KEYS[2])
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`,
});

/** Looks for a kept answer, and takes the lock where there is none. */
async function lookUp(names, token) {
  if ((await redis.lookOrLock(...names, token)) !== null) throw new Error('every page is asked for once');
}

function keep(names, token, body) {
  redis.publishAnswer(...names, body, 600_000, token).catch((error) => console.error(error.message));
}

const app = express();
app.get('/v1/users', async (req, res) => {
  const duty = open(req, res);
  const page = pageOf(req.query);
  const name = hash('sha256', req.url, 'base64url');
  const names = [`duties:{${name}}:value`, `duties:{${name}}:lock`];
  const token = randomBytes(16).toString('base64url');
  if (has('redis')) await lookUp(names, token);
  const askedAt = performance.now();
  const { body: reply } = await request(legacyUrl(UPSTREAM_URL, page));
  const rows = await reply.json();
  duty.upstreamCalls = 1;
  duty.upstreamMs = performance.now() - askedAt;
  const body = Buffer.from(JSON.stringify(translate(rows, page)));
  if (has('redis')) keep(names, token, body);
  send(res, { body, etag: etagOf(body), status: 'portico; fwd=miss' });
});
await announce(createServer(app));
