// A pass-through with no duties: Express and http-proxy-middleware.
import { createServer } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { announce, UPSTREAM_URL } from './serve.js';

const app = express();
app.use(createProxyMiddleware({ target: UPSTREAM_URL, changeOrigin: true }));
await announce(createServer(app));
