import { readFileSync } from 'node:fs';
import { feathers } from '@feathersjs/feathers';
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa';
import { memory } from '@feathersjs/memory';
import { Ajv, getValidator, hooks, querySyntax } from '@feathersjs/schema';

const { customers, orders } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));

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

const number = { type: 'number' };
const text = { type: 'string' };
serve('customers', customers, { id: number, city: text });
serve('orders', orders, {
  ...{ id: number, state: text, sum: number, itemCount: number, paid: { type: 'boolean' } },
  ...{ dueDate: text, placedAt: number, customerId: number },
});

// What the memory holds, past all services.
app.use((context, next) => {
  if (context.path !== '/store') return next();
  const held = (name) => Object.values(app.service(name).store);
  context.body = { customers: held('customers'), orders: held('orders') };
});

await app.listen(Number(process.env.PORT), '127.0.0.1');
console.log('listening');
