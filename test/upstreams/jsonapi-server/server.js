import { readFileSync } from 'node:fs';
import express from 'express';
import jsonApi from 'jsonapi-server';

const { users, products } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));
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

const text = () => Joi.string().allow(null);

jsonApi.define({
  resource: 'products',
  handlers: new jsonApi.MemoryHandler(),
  attributes: {
    number: Joi.number(),
    title: text(),
    text: text(),
    group: text(),
    price: Joi.number().allow(null),
  },
  examples: products.map(({ id, uuid, name, description, price, category }) => ({
    ...{ id: uuid, type: 'products', number: id, title: name, text: description, group: category },
    price: price === null ? null : Number(price),
  })),
});

jsonApi.define({
  resource: 'people',
  handlers: new jsonApi.MemoryHandler(),
  attributes: {
    ...{ number: Joi.number(), given: text(), family: text(), mail: text(), since: text() },
    ...{ about: text(), town: text(), picture: text() },
  },
  examples: users.map((user) => ({
    ...{ id: user.uuid, type: 'people', number: user.id, given: user.given_name, family: user.family_name },
    ...{ mail: user.email, since: user.created_at },
    ...{ about: user.bio, town: user.location, picture: user.avatar_url },
  })),
});

jsonApi.start();
app.listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
