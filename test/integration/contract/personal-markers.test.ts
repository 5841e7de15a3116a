import { randomUUID } from 'node:crypto';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { endAfterTest, startForAll, startForEach } from '../../support/jest/lifetime.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import {
  contract,
  idOf,
  markersIn,
  rowOf,
  scalarsOf,
  sourceText,
  textOf,
} from '../../support/secret-markers/personal-markers.ts';
import { eventually } from '../../support/time/eventually.ts';
import {
  type Answer,
  type HttpReply,
  type ScriptedUpstream,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../support/upstream/scripted-upstream.ts';

const redis = startForAll(startRedis);
const hooks: string[] = [];
const receiver = startForAll(() =>
  startUpstream(
    serving(({ body }) => {
      hooks.push(body);
      return { status: 204 };
    }),
  ),
);
const [legacy, next] = [startForEach(works), startForEach(works)];
/** What came out of a gateway, by where. */
const outputs: [where: string, text: string][] = [];
beforeEach(() => void ([outputs.length, hooks.length] = [0, 0]));

const rows = [1, 2, 3, 4].map((n) => rowOf(n));

/** Answers with rows, as a source that names the next ones by the key of the last. */
const answerWith =
  (all: readonly object[]) =>
  ({ path, query }: UpstreamRequest): Answer => {
    const members = all as readonly { id?: unknown; name?: unknown }[];
    if (path === '/members') {
      const called = query.get('called');
      const found = members.filter(({ name }) => called === null || name === called);
      const after = found.findIndex(({ name }) => name === query.get('after')) + 1;
      const from = Number(query.get('from') ?? after);
      return { body: { total: found.length, rows: found.slice(from, from + Number(query.get('n'))) } };
    }
    const one = members.find(({ id }) => path === `/members/${String(id)}`);
    return one === undefined ? { status: 404, body: { text: path } } : { body: one };
  };

function works(): Promise<ScriptedUpstream> {
  return startUpstream(serving(answerWith(rows)));
}

/** Starts a gateway that tells all it can: log lines of each level, every request, webhooks, traces. */
async function start(members: string): Promise<SourceGateway> {
  const config = `redis: { url: '${redis.url}', prefix: '${randomUUID()}:' }
log: { level: debug }
webhooks: [{ url: '${receiver.origin}/hook', secret: a-secret-of-the-tests }]
resources:
  members: ${members}
`;
  const configure = ({ admin }: GatewayConfig) => void (admin.slowRequests = 0);
  const sources = {
    'legacy.yaml': sourceText('legacy', legacy.origin),
    'next.yaml': sourceText('next', next.origin),
  };
  return endAfterTest(await startGateway({ contract, sources, config, configure, level: 'trace' }));
}

const encoded = encodeURIComponent;
const QUERIES = [
  ...['', '?sort=-name', '?sort=born', '?page=2&limit=2', `?name=${encoded(textOf(2))}`, '?born=1171-03-05'],
  ...['?min_age=73191104417111', `?friend=mem_${idOf(2)}`],
  ...[`/mem_${idOf(1)}`, `/mem_${idOf(3)}`, `/mem_${idOf(8)}`],
];
/** Values at which a caller is refused. */
const REFUSED = [
  ...['page', 'limit', 'sort', 'min_age', 'born', 'friend', 'fields'].map(
    (name) => `?${name}=${encoded(textOf(5))}`,
  ),
  ...[`?name=${encoded(textOf(5))}&name=x`, `/${encoded(textOf(5))}`, '?born=11710305', '?born=1171-03-99'],
];

/** Asks as callers do. What the answers that are errors say is an output. */
async function ask({ url }: SourceGateway, queries = QUERIES): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const query of queries) {
    const answer = await fetch(`${url}/v1/members${query}`);
    const text = await answer.text();
    if (!answer.ok) outputs.push([`the error at ${query.split('=')[0]}`, text]);
    statuses.push(answer.status);
  }
  return statuses;
}

const READ =
  'overview metrics metrics/history?step=10s incidents quality callers claims cache sources/legacy migrations audit'.split(
    ' ',
  );

async function askOperator({ adminUrl }: SourceGateway, path: string, body?: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const sent = body && { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${adminUrl}/api/${path}`, sent);
  const text = await answer.text();
  expect([path, answer.ok || text]).toEqual([path, true]);
  return text;
}

/** Reads all that an operator can see of a gateway without asking for values. */
async function look(gateway: SourceGateway): Promise<void> {
  const paths = [...READ];
  for (const [path, id] of [
    ['requests', 'requestId'],
    ['incidents', 'id'],
  ] as const) {
    const listed = JSON.parse(await askOperator(gateway, path)) as Record<string, Record<string, string>[]>;
    paths.push(path, ...(listed[path] ?? []).map((one) => `${path}/${one[id]}`));
  }
  for (const path of paths) outputs.push([path, await askOperator(gateway, path)]);
  for (const live of [false, true])
    for (const query of ['', '?sort=-name', '?page=2&limit=2']) {
      const told = await askOperator(gateway, 'explain', { request: `GET /v1/members${query}`, live });
      expect(told).toContain('"plan"');
      outputs.push([`explain ${query}, live: ${live}`, told]);
    }
  outputs.push(
    ['metrics', await gateway.metrics()],
    ['log', gateway.log.join('')],
    ['webhooks', hooks.join('\n')],
  );
}

/** Where a marker is, and what stands around it. */
const found = () =>
  outputs.flatMap(([where, text]) =>
    markersIn(text)[0] === undefined ? [] : [`${where}: ${markersIn(text)[0]}`],
  );

const word = textOf(6);
/** Every value of a row becomes the text, or an object that holds it. */
const unreadable = (value: unknown) => ({
  ...Object.fromEntries(Object.keys(rowOf(1)).map((key) => [key, value])),
  ...{ id: idOf(1), name: textOf(1) },
});
/** What a source may answer that cannot be used, or only in part. */
const BROKEN: readonly (readonly [what: string, HttpReply | ((request: UpstreamRequest) => Answer)])[] = [
  ['values that are texts', answerWith([unreadable(word), ...rows.slice(1)])],
  ['values that are lists of texts', answerWith([unreadable([word, { text: [word] }]), ...rows.slice(1)])],
  [
    'values that are objects',
    answerWith([unreadable({ city: { of: word }, [word]: word }), ...rows.slice(1)]),
  ],
  ['a row without its required field', answerWith([{ ...rowOf(1), name: null }, ...rows.slice(1)])],
  ['codes that no rule has', answerWith([{ ...rowOf(1), rank: word, ranks: [word] }, ...rows.slice(1)])],
  ['an id twice', answerWith([rowOf(1), rowOf(2, 1), rowOf(3)])],
  ['an id that is none', answerWith([{ ...rowOf(1), id: [word] }, ...rows.slice(1)])],
  ['another order', answerWith(rows.toReversed())],
  [
    'a filter and a window that it ignores',
    ({ path }) => ({ body: path === '/members' ? { total: 4, rows } : rows[3] }),
  ],
  [
    'the same rows for ever',
    ({ path }) => ({ body: path === '/members' ? { rows: rows.slice(0, 2) } : rows[3] }),
  ],
  ['a total that is none', { body: { total: word, rows: [] } }],
  ['another shape', { body: { [word]: [rowOf(1)] } }],
  ['a text', { body: `"${word}"` }],
  ['JSON that breaks off', { body: `{"rows":[{"name":"${word}` }],
  ['JSON with a word in it', { body: `{"rows":[${word}]}` }],
  ['HTML', { headers: { 'content-type': 'text/html' }, body: word }],
  ['a refusal', { status: 409, body: { message: word } }],
  ['an error', { status: 500, body: { message: word } }],
];

describe('a marker in every personal value', () => {
  it('comes out of no log line, metric, trace, incident, webhook or error of a gateway whose source fails', async () => {
    const gateway = await start('{ source: legacy, public: true, cache: { fresh: 0s, notFound: 0s } }');
    expect((await ask(gateway)).filter((status) => status === 200).length).toBeGreaterThan(9);
    await ask(gateway, REFUSED);
    for (const [what, answer] of BROKEN) {
      legacy.become(serving(typeof answer === 'function' ? answer : () => answer));
      await ask(gateway);
      outputs.push([`metrics while the source answers with ${what}`, await gateway.metrics()]);
    }
    legacy.become(serving(() => ({ status: 500, body: { message: word } })));
    await eventually(async () => {
      await ask(gateway);
      return ['breaker.opened', 'incident.opened'].every((type) => hooks.join().includes(type));
    });
    legacy.become(serving(answerWith(rows)));
    await look(gateway);
    expect(outputs.length).toBeGreaterThan(200);
    expect(found()).toEqual([]);
  }, 30_000);

  it('comes out of no status, difference, report or task of a migration whose sources differ in every field', async () => {
    const gateway = await start(
      '{ source: legacy, public: true, cache: { fresh: 0s, notFound: 0s }, migration: { to: next, stage: shadow, recheck: { delay: 10ms, maxRps: 1000 }, shadow: { maxRps: 1000 } } }',
    );
    next.become(serving(answerWith([rowOf(6, 1), rowOf(5, 2), rowOf(8, 3), rowOf(9)])));
    await ask(gateway);
    const path = 'migrations/members';
    const read = (what: string) => askOperator(gateway, path + what);
    for (const task of ['walk', 'replay']) {
      const queries = [{ operation: 'members.get', query: `id=mem_${idOf(1)}` }];
      outputs.push([
        task,
        await askOperator(gateway, `${path}/tasks`, { task, ...(task === 'replay' && { queries }) }),
      ]);
      await eventually(async () => !(await read('')).includes('"running"'));
    }
    const paths = ['data[].notes[].text', 'data.active', 'data[].id', 'data.ranks[]'];
    const diffs = await read('/diffs');
    expect(paths.filter((one) => !diffs.includes(`"${one}"`))).toEqual([]);
    // The length of one of a few values would say which one it is.
    expect(diffs.match(/"path":"[^"]*(?:active|flags|done|ranks?)\b[^}]*"length"/)).toBeNull();
    for (const one of ['', '/diffs', '/report', '/preview?percent=5'])
      outputs.push([`migration ${one}`, await read(one)]);
    for (const command of ['status', 'diffs', 'report', 'diffs --export']) {
      const [name = '', ...rest] = command.split(' ');
      const args = ['migration', name, 'members', ...rest, '--gateway', gateway.adminUrl];
      const { code, out, err } = await runCommand(args);
      expect([command, code]).toEqual([command, 0]);
      outputs.push([`portico migration ${command}`, out + err]);
    }
    await look(gateway);
    expect(found()).toEqual([]);
  }, 30_000);

  it('would be found: answers have them, and what an operator asks for by name', async () => {
    const gateway = await start('{ source: legacy, public: true, migration: { to: next, stage: shadow } }');
    const listed = await (await fetch(`${gateway.url}/v1/members`)).text();
    const [first] = (JSON.parse(listed) as { data: object[] }).data;
    const unseen = [first, rowOf(1)].flatMap(scalarsOf).filter((value) => markersIn(value).length === 0);
    expect(new Set(unseen)).toEqual(new Set(['false', 'stoker', 'S']));
    const explained = await askOperator(gateway, 'migrations/members/explain', {
      ...{ operation: 'members.get', query: `id=mem_${idOf(1)}`, reason: 'a test' },
    });
    outputs.push(['the list', listed], ['explain', explained]);
    expect(found()).toHaveLength(2);
  });
});
