// A pass-through with no duties: @fastify/http-proxy.
import proxy from '@fastify/http-proxy';
import fastify from 'fastify';
import { UPSTREAM_URL } from './serve.js';

const app = fastify();
await app.register(proxy, { upstream: UPSTREAM_URL });
await app.listen({ port: 0, host: '127.0.0.1' });
console.error(`listening ${app.server.address().port}`);
