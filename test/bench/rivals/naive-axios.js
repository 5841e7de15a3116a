// A translation without a cache: Express, axios as it comes, res.json.
import { createServer } from 'node:http';
import axios from 'axios';
import express from 'express';
import { announce, UPSTREAM_URL } from './serve.js';
import { legacyUrl, pageOf, translate } from './translate.js';

const app = express();
app.get('/v1/users', async (req, res) => {
  const page = pageOf(req.query);
  const { data } = await axios.get(legacyUrl(UPSTREAM_URL, page));
  res.json(translate(data, page));
});
await announce(createServer(app));
