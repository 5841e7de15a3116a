import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '../process/folder.ts';
import { serving, startUpstream } from '../upstream/scripted-upstream.ts';

/** The rows of the service; the cost is written as nobody else does. */
const ROWS = [
  { id: 1, name: 'Kettle', cost: '12,-' },
  { id: 2, name: 'Lamp', cost: 'gift' },
  { id: 3, name: 'Chair', cost: '2,50' },
];

/** A module that reads such a cost, as so many times the price. */
export const costModule = (times: number) => `
export function price(value) {
  if (value === 'gift') throw new Error('no price in ' + value);
  return Number(value.replace(',-', '').replace(',', '.')) * ${times};
}
`;

const SOURCE = (origin: string) => `source: 1
name: shop
net: { baseUrl: '${origin}' }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items }
      window: { kind: none }
      items: rows
      map:
        id: id
        name: name
        price: { from: cost, as: [{ call: price }] }
    get:
      request: { path: '/items/{id}' }
      item: ''
      map: { id: id, name: name, price: { from: cost, as: [{ call: price }] }, note: name }
`;

const CONTRACT = `contract: 1
version: v1
title: Shop
resources:
  products:
    singular: product
    id: { prefix: prod }
    fields:
      name: { kind: text, description: Its name. }
      price: { kind: decimal, minimum: 0, description: Its price. }
    single: { note: { kind: text, description: A note. } }
    sort: [id, price]
    filters:
      min_price: { field: price, is: at_least, description: Not cheaper. }
      max_price: { field: price, is: at_most, description: Not dearer. }
`;

/** A folder with a configuration whose source calls a function, and the service behind it. */
export async function startOwnCoercions() {
  const service = await startUpstream(
    serving(({ id }) => ({ body: Number.isNaN(id) ? { rows: ROWS } : ROWS[id - 1] })),
  );
  const folder = createFolder('coercions');
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  mkdirSync(join(folder.path, 'sources'));
  write('sources/shop.yaml', SOURCE(service.origin));
  write('coercions.js', costModule(1));
  write('contract.yaml', CONTRACT);
  write(
    'portico.yaml',
    `portico: 1
coercions: ./coercions.js
listen: { host: 127.0.0.1, port: 0, drain: 0s }
admin: { port: 0 }
resources: { products: { source: shop, public: true, cache: { fresh: 300s } } }
limits: { tiers: { standard: { windows: [1000000 per 1s] } } }
`,
  );
  return {
    /** The gateway's file. */
    file: join(folder.path, 'portico.yaml'),
    contract: join(folder.path, 'contract.yaml'),
    source: join(folder.path, 'sources/shop.yaml'),
    module: join(folder.path, 'coercions.js'),
    write,
    async remove() {
      await service.close();
      folder.remove();
    },
  };
}
