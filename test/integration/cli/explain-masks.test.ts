import {
  type HttpReply,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../support/upstream/scripted-upstream.ts';
import { writeFileSync } from 'node:fs';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

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

function answer({ path, query, headers }: UpstreamRequest): HttpReply {
  if (path === '/login') return { body: { token: TOKEN } };
  const from = names.indexOf(query.get('after') ?? '') + 1;
  const isKnown = headers.authorization === `Bearer ${TOKEN}`;
  return { status: isKnown ? 200 : 401, body: rows.slice(from, from + 2) };
}

const source = startForAll(() => startUpstream(serving(answer)));
const config = startForAll(copyConfig);
beforeAll(() => {
  config.useGenerousTimeouts();
  writeFileSync(config.file.replace('portico.yaml', 'sources/catalog.yaml'), sourceText(source.origin));
});

async function explain(...args: string[]) {
  const run = await runCommand(['--config', config.file, 'explain', '/v1/products', ...args]);
  expect(run.code).toBe(0);
  expect(run.out + run.err).not.toMatch(/canary/);
  return run.out;
}

describe('what portico explain masks', () => {
  it('is the session, though it prints where that is obtained', async () => {
    const out = await explain();
    expect(out).toMatch(/session, obtained first by a login at http:\/\/127\.0\.0\.1:\d+\/login\n/);
    expect(out).toContain('Authorization: Bearer ***');
  });

  it('is every value of a record, also in the address of the next window', async () => {
    const out = await explain('--live');
    expect(out).toMatch(/items\?n=2&after=\*\*\*\n/);
    expect(out).not.toMatch(/Private|Secret|Zebra/);
    expect(await explain('--live', '--json')).not.toMatch(/Private|Secret|Zebra/);
    expect(await explain('--live', '--values')).toMatch(/items\?n=2&after=Secret%20Sauce\n/);
  });
});
