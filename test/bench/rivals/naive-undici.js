// The same translation with undici in place of axios.
import { createServer } from 'node:http';
import express from 'express';
import { request } from 'undici';
import { announce, UPSTREAM_URL } from './serve.js';
import { legacyUrl, pageOf, translate } from './translate.js';

const app = express();
app.get('/v1/users', async (req, res) => {
  const page = pageOf(req.query);
  const { body } = await request(legacyUrl(UPSTREAM_URL, page));
  res.json(translate(await body.json(), page));
});
await announce(createServer(app));
