import { readFileSync } from 'node:fs';
import express from 'express';
import jsonApi from 'jsonapi-server';

const { agents, tickets } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));
const { Joi } = jsonApi;

const app = express();
jsonApi.setConfig({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  base: 'rest',
  graphiql: false,
  meta: { version: 1 },
  // It would listen on every address.
  router: app,
});

const text = () => Joi.string().allow(null, '');
const number = () => Joi.number().allow(null);

// What its memory holds is this very list.
const stores = { agents, tickets };
app.get('/store', (request, response) => response.json(stores));

jsonApi.define({
  resource: 'agents',
  handlers: new jsonApi.MemoryHandler(),
  attributes: { fullName: text(), email: text(), team: text() },
  examples: agents,
});
jsonApi.define({
  resource: 'tickets',
  handlers: new jsonApi.MemoryHandler(),
  attributes: {
    ...{ subject: text(), body: text(), priority: text(), replies: number(), votes: number() },
    ...{ escalated: Joi.boolean().allow(null), opened: text(), due: text(), resolvedAt: text() },
    ...{ assignee: Joi.one('agents'), reporter: Joi.one('agents') },
  },
  examples: tickets,
});

jsonApi.start();
app.listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
