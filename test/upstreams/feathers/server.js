import { readFileSync } from 'node:fs';
import { feathers } from '@feathersjs/feathers';
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa';
import { memory } from '@feathersjs/memory';
import { Ajv, getValidator, hooks, querySyntax } from '@feathersjs/schema';

const { users, products } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));

const app = koa(feathers());
app.use(errorHandler());
app.use(bodyParser());
app.configure(rest());

/** A service over records in memory, whose queries are validated as generated applications do it. */
function serve(name, records, fields) {
  const store = Object.fromEntries(records.map((record) => [record.id, record]));
  app.use(name, memory({ store, multi: true, paginate: { default: 10, max: 50 } }));
  const schema = { $id: name, type: 'object', additionalProperties: false, properties: querySyntax(fields) };
  const validator = getValidator(schema, new Ajv({ coerceTypes: true }));
  app.service(name).hooks({ before: { find: [hooks.validateQuery(validator)] } });
}

serve(
  'products',
  products.map(({ id, name, description, price, category }) => ({
    ...{ id, name, description, category, supplierKey: 'never-to-be-shown' },
    price: price === null ? null : Number(price),
  })),
  { id: { type: 'number' }, category: { type: 'string' }, price: { type: 'number' } },
);
serve(
  'users',
  users.map((user) => ({
    ...{ id: user.id, fullName: `${user.given_name} ${user.family_name}`, email: user.email },
    ...{ password: 'never-to-be-shown', createdAt: Date.parse(user.created_at) },
    ...{ bio: user.bio, location: user.location, avatar: user.avatar_url },
  })),
  { id: { type: 'number' } },
);

await app.listen(Number(process.env.PORT), '127.0.0.1');
console.log('listening');
