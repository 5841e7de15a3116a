// A gateway of Express: axios, zod, http-proxy-middleware, rate-limiter-flexible, pino-http, and answers kept in Redis.
import { createServer } from 'node:http';
import axios from 'axios';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { pinoHttp } from 'pino-http';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import * as z from 'zod';
import { callers, logOutput, redis, SECONDS_KEPT, UPSTREAM_MS_MAX } from './gateway.js';
import { announce, POINTS_PER_SECOND, UPSTREAM_URL } from './serve.js';
import { legacyUrl, pageOf, translate } from './translate.js';

const limiter = new RateLimiterRedis({
  storeClient: redis,
  keyPrefix: 'express:limit',
  points: POINTS_PER_SECOND,
  duration: 1,
});
const service = axios.create({ timeout: UPSTREAM_MS_MAX });
const text = z.string();
const row = z.object({ no: z.int(), first: text, last: text, mail: text, created: text });
const legacyList = z.object({ total: z.int(), rows: z.array(row) });

async function readUsers(page) {
  const { data } = await service.get(legacyUrl(UPSTREAM_URL, page));
  return JSON.stringify(translate(legacyList.parse(data), page));
}

const badGateway = (res) => res.status(502).json({ error: 'bad gateway' });

const app = express();
app.use(
  pinoHttp(
    {
      // By default, a line has all headers, and so the key.
      serializers: {
        req: ({ method, url }) => ({ method, url }),
        res: ({ statusCode }) => ({ statusCode }),
      },
      customSuccessObject: ({ caller }, _res, line) => ({ ...line, caller }),
      customErrorObject: ({ caller }, _res, _error, line) => ({ ...line, caller }),
    },
    logOutput,
  ),
);
app.use((req, res, next) => {
  const [, key] = (req.get('Authorization') ?? '').split('Bearer ');
  req.caller = callers.get(key);
  if (req.caller === undefined) return res.status(401).json({ error: 'unauthorized' });
  next();
});
app.use(async (req, res, next) => {
  try {
    const { remainingPoints } = await limiter.consume(req.caller);
    res.set('X-RateLimit-Remaining', String(remainingPoints));
  } catch (refused) {
    if (refused instanceof Error) throw refused;
    return res.status(429).set('Retry-After', '1').json({ error: 'too many requests' });
  }
  next();
});
app.get('/v1/users', async (req, res) => {
  const name = `express:answer:${req.url}`;
  let body = await redis.get(name);
  if (body === null) {
    try {
      body = await readUsers(pageOf(req.query));
    } catch (error) {
      res.err = error;
      return badGateway(res);
    }
    await redis.set(name, body, 'EX', SECONDS_KEPT);
  }
  res.set('Cache-Control', `private, max-age=${SECONDS_KEPT}`).type('json').send(body);
});
app.use(
  createProxyMiddleware({
    target: UPSTREAM_URL,
    changeOrigin: true,
    pathFilter: '/orders',
    proxyTimeout: UPSTREAM_MS_MAX,
    on: { error: (_error, _req, res) => badGateway(res) },
  }),
);
await announce(createServer(app));
