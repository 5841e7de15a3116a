import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import expressPouchdb from 'express-pouchdb';
import memoryAdapter from 'pouchdb-adapter-memory';
import PouchDB from 'pouchdb-core';
import find from 'pouchdb-find';
import mapreduce from 'pouchdb-mapreduce';

const data = JSON.parse(readFileSync(process.env.DATA, 'utf8'));

const Memory = PouchDB.plugin(memoryAdapter).plugin(mapreduce).plugin(find).defaults({ adapter: 'memory' });

const app = express();

const databases = {};

// What the databases hold, past the server.
app.get('/store', async (request, response) => {
  const stores = {};
  for (const [name, database] of Object.entries(databases))
    stores[name] = (await database.allDocs({ include_docs: true })).rows.map(({ doc }) => doc);
  response.json(stores);
});
app.use(
  '/db',
  expressPouchdb(Memory, {
    mode: 'minimumForPouchDB',
    overrideMode: { include: ['routes/find'] },
    logPath: join(tmpdir(), `pouchdb-server-${process.pid}.log`),
    inMemoryConfig: true,
  }),
);
// Databases made before are not known to it.
for (const [name, documents] of Object.entries(data)) {
  databases[name] = new Memory(name);
  await databases[name].bulkDocs(documents);
}

app.listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
