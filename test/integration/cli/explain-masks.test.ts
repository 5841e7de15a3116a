import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCommand } from '../../support/command/run-command.ts';
import { type ConfigCopy, copyConfig } from '../../support/gateway/config-copy.ts';

const TOKEN = 'canary-of-a-session';
const names = ['Private Parts', 'Secret Sauce', 'Zebra'];
const rows = names.map((name, id) => ({ id, name, price: 1, category: 'c', description: '' }));

/** A source that wants a login, and whose next window is named by a value of a record. */
const sourceText = (base: string) => `
source: 1
name: catalog
net: { baseUrl: '${base}' }
auth: { kind: session, login: { path: /login, json: { user: me, password: canary-of-a-password } }, token: token }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items, query: { n: '{limit}', after: '{after}' } }
      window: { kind: keyset, sizeMax: 2, key: name }
      items: ''
      map: { id: id, name: name, description: description, category: category, price: price }
`;

let server: Server;
let config: ConfigCopy;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const from = names.indexOf(searchParams.get('after') ?? '') + 1;
    const allowed = request.headers.authorization === `Bearer ${TOKEN}`;
    const body = pathname === '/login' ? { token: TOKEN } : rows.slice(from, from + 2);
    response.statusCode = pathname === '/login' || allowed ? 200 : 401;
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  config = copyConfig();
  config.bePatient();
  const { port } = server.address() as AddressInfo;
  const file = config.file.replace('portico.yaml', 'sources/catalog.yaml');
  writeFileSync(file, sourceText(`http://127.0.0.1:${port}`));
});
afterAll(async () => {
  config.remove();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function explain(...args: string[]) {
  const run = await runCommand(['--config', config.file, 'explain', '/v1/products', ...args]);
  expect(run.code).toBe(0);
  expect(run.out + run.err).not.toMatch(/canary/);
  return run.out;
}

describe('what portico explain does not tell', () => {
  it('is the session, though it says where that is obtained', async () => {
    const out = await explain();
    expect(out).toMatch(/session, obtained first by a login at http:\/\/127\.0\.0\.1:\d+\/login\n/);
    expect(out).toContain('Authorization: Bearer ***');
  });

  it('is a value of a record, be it in the address of the next window', async () => {
    const out = await explain('--live');
    expect(out).toMatch(/items\?n=2&after=\*\*\*\n/);
    expect(out).not.toMatch(/Private|Secret|Zebra/);
    expect(await explain('--live', '--json')).not.toMatch(/Private|Secret|Zebra/);
    expect(await explain('--live', '--values')).toMatch(/items\?n=2&after=Secret%20Sauce\n/);
  });
});
