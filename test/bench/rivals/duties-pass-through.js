// A pass-through with the duties of an answer: Express and http-proxy-middleware.
import { createServer } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { open, sharedHeaders } from './duties.js';
import { announce, UPSTREAM_URL } from './serve.js';

const app = express();
app.use((req, res, next) => {
  const headers = sharedHeaders(open(req, res));
  for (let i = 0; i < headers.length; i += 2) res.setHeader(headers[i], headers[i + 1]);
  res.setHeader('Vary', 'Authorization, X-API-Key');
  next();
});
app.use(createProxyMiddleware({ target: UPSTREAM_URL, changeOrigin: true }));
await announce(createServer(app));
