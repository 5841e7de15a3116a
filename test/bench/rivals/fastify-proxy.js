// A pass-through with no duties: @fastify/http-proxy.
import proxy from '@fastify/http-proxy';
import fastify from 'fastify';
import { announce, UPSTREAM_URL } from './serve.js';

const app = fastify();
await app.register(proxy, { upstream: UPSTREAM_URL });
await app.ready();
await announce(app.server);
