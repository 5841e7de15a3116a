// The floor: Express with one route and a prepared body, and no duties at all.
import { createServer } from 'node:http';
import express from 'express';
import { announce, UPSTREAM_URL } from './serve.js';
import { legacyUrl, translate } from './translate.js';

const first = { page: 1, limit: 50 };
const reply = await fetch(legacyUrl(UPSTREAM_URL, first));
const body = Buffer.from(JSON.stringify(translate(await reply.json(), first)));

const app = express();
app.get('/v1/users', (_req, res) => {
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
  });
  res.end(body);
});
await announce(createServer(app));
