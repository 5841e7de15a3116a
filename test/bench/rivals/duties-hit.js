// A prepared body with the duties of an answer: what a hit costs at least.
import { createServer } from 'node:http';
import express from 'express';
import { etagOf, open, send } from './duties.js';
import { announce, UPSTREAM_URL } from './serve.js';
import { legacyUrl, translate } from './translate.js';

const first = { page: 1, limit: 50 };
const reply = await fetch(legacyUrl(UPSTREAM_URL, first));
const body = Buffer.from(JSON.stringify(translate(await reply.json(), first)));
const kept = new Map([['/v1/users', { body, etag: etagOf(body), status: 'portico; hit' }]]);

const app = express();
app.get('/v1/users', (req, res) => {
  open(req, res);
  send(res, kept.get(req.url));
});
await announce(createServer(app));
