import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import expressPouchdb from 'express-pouchdb';
import memoryAdapter from 'pouchdb-adapter-memory';
import PouchDB from 'pouchdb-core';
import find from 'pouchdb-find';
import mapreduce from 'pouchdb-mapreduce';

const { users, products } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));

const Memory = PouchDB.plugin(memoryAdapter).plugin(mapreduce).plugin(find).defaults({ adapter: 'memory' });

const app = express();
const scratch = join(tmpdir(), `pouchdb-server-${process.pid}`);
app.use(
  '/db',
  expressPouchdb(Memory, {
    mode: 'minimumForPouchDB',
    overrideMode: { include: ['routes/find'] },
    logPath: `${scratch}.log`,
    inMemoryConfig: true,
  }),
);
// Databases made before are not known to it.
await new Memory('products').bulkDocs(
  products.map(({ id, name, description, price, category }) => ({
    ...{ _id: `p:${id}`, name, description, category, supplierKey: 'never-to-be-shown' },
    // What is not known is left out, as in most documents.
    ...(price !== null && { price: Number(price) }),
  })),
);
await new Memory('users').bulkDocs(
  users.map((user) => ({
    ...{ _id: `u:${user.id}`, given: user.given_name, family: user.family_name, mail: user.email },
    ...{ password: 'never-to-be-shown', since: Date.parse(user.created_at) },
    ...{ about: user.bio, town: user.location, picture: user.avatar_url },
  })),
);

app.listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
