// An SAP CAP application: OData v4 under /odata/v4/erp, and v2 of the same service under /odata/v2/erp.
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import cds from '@sap/cds';

const { users, products } = JSON.parse(await readFile(process.env.DATA, 'utf8'));
const categories = [...new Set(products.map((product) => product.category))];

const contacts = users.map((user) => ({
  ID: user.id,
  FirstName: user.given_name,
  LastName: user.family_name,
  FullName: `${user.given_name} ${user.family_name}`,
  EMail: user.email,
  CreatedAt: user.created_at,
  Remarks: user.bio,
  City: user.location,
  PhotoUrl: user.avatar_url,
  PasswordHash: `hash-of-${user.id}`,
}));

cds.root = import.meta.dirname;
process.chdir(cds.root);
await cds.plugins;
const server = await cds.server({
  from: '*',
  service: 'all',
  in_memory: true,
  port: { host: '127.0.0.1', port: Number(process.env.PORT) },
});
if (!server.listening) await once(server, 'listening');
// What `cds-serve` does at this place, and the v2 adapter waits for.
await cds.emit('listening', { server, url: `http://127.0.0.1:${process.env.PORT}` });

const { INSERT } = cds.ql;
const { Contacts, Categories, Products } = cds.entities('erp');
await INSERT.into(Contacts).entries(contacts);
await INSERT.into(Categories).entries(categories.map((Name, index) => ({ Code: 100 + index, Name })));
await INSERT.into(Products).entries(
  products.map((product) => ({
    ID: product.id,
    Title: product.name,
    Description: product.description,
    Price: product.price,
    Cost: '0.01',
    Category_Code: 100 + categories.indexOf(product.category),
  })),
);
console.log('listening');
