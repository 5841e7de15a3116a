// A server that uses each of the main packages of the gateway once, and nothing of the gateway; main-packages.js loads it.
import { createServer } from 'node:http';
import axios from 'axios';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { Redis } from 'ioredis';
import { pinoHttp } from 'pino-http';
import { Counter } from 'prom-client';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { parse } from 'yaml';
import * as z from 'zod';
import { announce, POINTS_PER_SECOND, REDIS_URL, UPSTREAM_URL } from './serve.js';

const { path } = z.strictObject({ path: z.string() }).parse(parse('path: /users?offset=0&limit=50'));
const storeClient = new Redis(REDIS_URL);
const limiter = new RateLimiterRedis({ storeClient, points: POINTS_PER_SECOND, duration: 1 });
const answered = new Counter({ name: 'answered', help: 'Answers.' });
const app = express();
app.use(pinoHttp());
app.use('/orders', createProxyMiddleware({ target: UPSTREAM_URL }));
app.get('/v1/users', async (_req, res) => {
  await limiter.consume('caller');
  const { data } = await axios.get(`${UPSTREAM_URL}${path}`);
  answered.inc();
  res.json(data);
});
await announce(createServer(app));
if (process.env.FILL === 'yes') process.exit();
