// What one writes first: Express, the key and the cached answer in Redis, a limit by rate-limiter-flexible, pino-http.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import axios from 'axios';
import express from 'express';
import { Redis } from 'ioredis';
import { pinoHttp } from 'pino-http';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { announce, KEY, POINTS_PER_SECOND, REDIS_URL, UPSTREAM_URL } from './serve.js';
import { legacyUrl, pageOf, translate } from './translate.js';

const redis = new Redis(REDIS_URL);
const keyName = (key) => `obvious:key:${createHash('sha256').update(key).digest('hex')}`;
await redis.set(keyName(KEY), JSON.stringify({ id: 'bench', permissions: ['users:read'] }));
const limiter = new RateLimiterRedis({
  storeClient: redis,
  keyPrefix: 'obvious:limit',
  points: POINTS_PER_SECOND,
  duration: 1,
});

const app = express();
app.use(pinoHttp());
app.use(async (req, res, next) => {
  const [, key = ''] = (req.get('Authorization') ?? '').split(' ');
  const caller = await redis.get(keyName(key));
  if (caller === null) return res.status(401).json({ error: 'unauthorized' });
  req.caller = JSON.parse(caller);
  next();
});
app.use(async (req, res, next) => {
  try {
    const { remainingPoints } = await limiter.consume(req.caller.id);
    res.set('X-RateLimit-Remaining', String(remainingPoints));
    next();
  } catch {
    res.status(429).json({ error: 'too many requests' });
  }
});
app.get('/v1/users', async (req, res) => {
  const kept = await redis.get(`obvious:answer:${req.url}`);
  if (kept !== null) return res.type('json').send(kept);
  const page = pageOf(req.query);
  const { data } = await axios.get(legacyUrl(UPSTREAM_URL, page));
  const body = JSON.stringify(translate(data, page));
  await redis.set(`obvious:answer:${req.url}`, body, 'EX', 600);
  res.type('json').send(body);
});
await announce(createServer(app));
