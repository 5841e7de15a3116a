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

// The accent of the last one is a character of its own, which the service sorts before every other letter than E.
const names = ['Ada', 'Émile', 'Zoe', 'E\u0301va'];
const rows = Array.from({ length: 40 }, (_, id) => ({ id, name: `${names[id % 4]!} ${id}`, price: id % 7 }));
const byText = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

/** A source that gives windows one after the other, in an order that it is asked for. */
const sourceText = (base: string) => `
source: 1
name: crm
net: { baseUrl: '${base}' }
outcomes:
  - { on: get, status: 404, is: not_found }
  - { status: 200, is: ok }
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /people, query: { size: '{limit}', next: '{cursor}' } }
      window: { kind: cursor, sizeMax: 10, next: next, checkpoints: true }
      total: { at: total }
      items: rows
      order: id
      sort:
        query: { sort: '{column}' }
        columns:
          name: { column: name, directions: [ascending] }
          email: { column: mail, directions: [ascending] }
      map: { id: id, name: name, email: mail, created_at: null }
    get:
      request: { path: '/people/{id}' }
      item: ''
      map:
        { id: id, name: name, email: mail, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

const people = rows.map(({ id, name }) => ({ id, name, mail: `u${id % 5}@example.com` }));

function answer({ path, id: no, query }: UpstreamRequest): HttpReply {
  const one = people.find(({ id }) => id === no);
  if (path !== '/people') return one === undefined ? { status: 404, body: {} } : { body: one };
  const column = query.get('sort');
  const sorted = [...people].sort((left, right) => {
    if (column === 'name') return byText(left.name, right.name);
    return column === 'mail' ? byText(left.mail, right.mail) : 0;
  });
  const from = Number(query.get('next') ?? '0');
  const behind = from + Number(query.get('size') ?? '10');
  const next = behind < people.length ? String(behind) : null;
  return { body: { rows: sorted.slice(from, behind), next, total: people.length } };
}

const source = startForAll(() => startUpstream(serving(answer)));
const config = startForAll(copyConfig);
beforeAll(() => {
  config.useGenerousTimeouts();
  writeFileSync(config.file.replace('portico.yaml', 'sources/crm.yaml'), sourceText(source.origin));
});

describe('a sort of a cursor source with checkpoints', () => {
  it("is examined by doctor, which finds the one that differs from the contract's order", async () => {
    const run = await runCommand(['--config', config.file, 'doctor', 'crm']);
    expect(run.out).toMatch(/agrees {3}sort email ascending +40 rows in order/);
    expect(run.out).toMatch(
      /DIFFERS {2}sort name ascending +texts are compared otherwise than by code point/,
    );
  });

  it('is explained with the calls that were made', async () => {
    const args = ['explain', '--live', 'GET /v1/users?sort=email&limit=5'];
    const run = await runCommand(['--config', config.file, ...args]);
    expect(run.out).toContain('/people?size=10&sort=mail');
  });
});
