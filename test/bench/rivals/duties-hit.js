// A prepared body with the duties of an answer: what a hit costs at least.
import { createServer } from 'node:http';
import express from 'express';
import { answerHeaders, etagOf, open } from './duties.js';
import { announce, UPSTREAM_URL } from './serve.js';
import { legacyUrl, translate } from './translate.js';

const first = { page: 1, limit: 50 };
const reply = await fetch(legacyUrl(UPSTREAM_URL, first));
const body = Buffer.from(JSON.stringify(translate(await reply.json(), first)));
const kept = new Map([['/v1/users', { body, etag: etagOf(body) }]]);

const app = express();
app.get('/v1/users', (req, res) => {
  const duty = open(req, res);
  const found = kept.get(req.url);
  const { etag } = found;
  res.writeHead(200, answerHeaders(duty, { length: found.body.length, etag, status: 'portico; hit' }));
  res.end(found.body);
});
await announce(createServer(app));
