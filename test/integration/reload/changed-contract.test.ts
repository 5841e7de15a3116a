import { pino } from 'pino';
import { createExplainActions } from '../../../src/workbench/explain/explain-action.ts';
import { ConfigError } from '../../../src/config/yaml/problem.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import type { SoundConfig } from '../../../src/gateway/reload/reload-outcome.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { chooseSources } from '../../../src/source/compile-sources.ts';
import { loadTexts } from '../../support/gateway/config-texts.ts';
import { gatewayAt, type RunningGateway } from '../../support/gateway/running-gateway.ts';
import { startGateway } from '../../support/gateway/start-gateway.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';
import { eventually } from '../../support/time/eventually.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const FIRST = `contract: 1
title: Shop
pages: { default: 3 }
resources:
  tickets:
    singular: ticket
    id: { prefix: tic }
    fields:
      subject: { kind: text, description: What it is about. }
      state: { kind: enum, values: [open, closed] }
      parent: { kind: reference, to: threads }
    single: true
    sort: [state]
  threads: { singular: thread, id: { prefix: thr }, fields: { subject: { kind: text } } }
`;
/** Other ids, another order of the enum, another page, and another prefix of what a ticket refers to. */
const SECOND = FIRST.replace('prefix: tic', 'prefix: t')
  .replace('[open, closed]', '[closed, open]')
  .replace('default: 3', 'default: 4')
  .replace('prefix: thr', 'prefix: th');

const TICKETS = [1, 2, 3, 4, 5].map((id) => ({
  id,
  subject: `S${id}`,
  state: id % 2 ? 'open' : 'closed',
  parent: id,
}));

const upstream = startForAll(() =>
  startUpstream(
    serving(({ path }) => ({ status: 200, body: TICKETS[Number(path.split('/')[2]) - 1] ?? TICKETS })),
  ),
);

const sourceText = (name: string) => `source: 1
name: ${name}
net: { baseUrl: '${upstream.origin}' }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  tickets:
    id: { kind: number }
    list:
      request: { path: /tickets }
      window: { kind: none }
      items: ''
      map: { id: id, subject: subject, state: state, parent: parent }
    get:
      request: { path: '/tickets/{id}' }
      item: ''
      map: { id: id, subject: subject, state: state, parent: parent }
  threads:
    id: { kind: number }
    list: { request: { path: /threads }, window: { kind: none }, items: '', map: { id: id, subject: subject } }
`;

const gatewayText = (tickets: string) => `portico: 1
listen: { host: 127.0.0.1, port: 0, drain: 0ms }
admin: { port: 0 }
limits: { tiers: { standard: { windows: [1000000 per 1s] } } }
overload: { eventLoopDelayMax: 1m }
resources: { tickets: { source: shop, public: true, deadline: 60s, ${tickets} } }
`;

/** A configuration as a reload reads it. @throws ConfigError */
function configOf(contract: string, tickets: string): SoundConfig {
  const sources = { 'shop.yaml': sourceText('shop'), 'next.yaml': sourceText('next') };
  const gateway = gatewayText(tickets);
  const { config, compiled, problems } = loadTexts({ gateway, contract, sources });
  if (config.gateway === undefined || problems.length > 0) throw new ConfigError(problems);
  return {
    gateway: config.gateway,
    compiled: chooseSources(config.gateway, compiled),
    texts: {
      files: {
        gateway: { file: 'portico.yaml', text: gateway },
        contract: { file: 'contract.yaml', text: contract },
        sources: [],
      },
      references: {},
    },
  };
}

/** A gateway whose contract can be written anew. */
async function startReloading(tickets: string): Promise<RunningGateway & { write(contract: string): void }> {
  let contract = FIRST;
  const { texts, ...first } = configOf(contract, tickets);
  const read = () => new Promise<SoundConfig>((resolve) => resolve(configOf(contract, tickets)));
  const gateway = createGateway(first, {
    ...{
      log: pino({ level: 'silent' }, { write: () => undefined }),
      clock: systemClock,
      createExplainActions,
    },
    ...{ version: 'test', nodeVersion: 'test', reloading: { pid: 1, texts, read } },
  });
  const ports = await gateway.listen();
  return { ...gatewayAt(ports, () => gateway.close()), write: (text) => void (contract = text) };
}

const askAt = async ({ url }: { readonly url: string }, query: string) => {
  const answer = await fetch(`${url}/v1/tickets${query}`);
  return `${answer.status} ${await answer.text()}`;
};

const QUERIES = ['', '?sort=state', '?page=2'];

/** What a gateway with a contract alone answers. */
async function truthOf(contract: string): Promise<readonly string[]> {
  const sources = { 'shop.yaml': sourceText('shop') };
  const gateway = await startGateway({ contract, sources });
  const answers = await Promise.all(QUERIES.map((query) => askAt(gateway, query)));
  await gateway.close();
  return answers;
}

describe('a contract that changes while requests are served', () => {
  it('is in force for each answer as a whole, 50 times, and fails none', async () => {
    const [first, second] = [await truthOf(FIRST), await truthOf(SECOND)];
    expect(first.filter((answer, index) => answer === second[index])).toEqual([]);
    // Answers are kept for an hour: none outlives its contract.
    const gateway = endAfterTest(await startReloading('cache: { fresh: 1h }'));
    let [isOver, asked] = [false, 0];
    const wrong: string[] = [];
    const caller = async () => {
      for (let turn = 0; !isOver; turn += 1) {
        const at = turn % QUERIES.length;
        const answer = await askAt(gateway, QUERIES[at]!);
        asked += 1;
        if (answer !== first[at] && answer !== second[at]) wrong.push(answer);
      }
    };
    const callers = Array.from({ length: 4 }, caller);
    for (let change = 1; change <= 50; change += 1) {
      const before = asked;
      gateway.write(change % 2 ? SECOND : FIRST);
      expect(await gateway.reload()).toMatchObject({
        status: 200,
        outcome: { kind: 'applied', rev: change + 1 },
      });
      const answers = await Promise.all(QUERIES.map((query) => askAt(gateway, query)));
      expect(answers).toEqual(change % 2 ? second : first);
      await eventually(() => Promise.resolve(asked > before + 4));
    }
    isOver = true;
    await Promise.all(callers);
    expect(wrong).toEqual([]);
  });

  it('changes nothing if it has a problem', async () => {
    const gateway = endAfterTest(await startReloading('cache: { fresh: 0s, notFound: 0s }'));
    const before = await askAt(gateway, '');
    gateway.write(SECOND.replace('to: threads', 'to: nothing'));
    expect(await gateway.reload()).toMatchObject({
      status: 422,
      outcome: {
        kind: 'refused',
        rev: 1,
        problems: expect.arrayContaining([expect.stringContaining('contract.yaml:')]),
        resets: [],
      },
    });
    expect(await askAt(gateway, '')).toBe(before);
  });

  it('is the same one with other words for its readers', async () => {
    const gateway = endAfterTest(await startReloading('cache: { fresh: 1h }, migration: { to: next }'));
    gateway.write(FIRST.replace('What it is about.', 'The subject.'));
    expect((await gateway.reload()).status).toBe(200);
  });
});

describe('the contract of a resource that moves to another source', () => {
  it('is not changed but by force, and then the comparison counts begin anew', async () => {
    const gateway = endAfterTest(
      await startReloading(
        'cache: { fresh: 0s, notFound: 0s }, migration: { to: next, stage: shadow, shadow: { maxRps: 1000, timeout: 5s } }',
      ),
    );
    const compared = async () => {
      const answer = await fetch(`${gateway.adminUrl}/api/migrations/tickets`);
      const { compare } = (await answer.json()) as { compare: Record<string, { keys: number }> };
      return compare['tickets.get']?.keys ?? 0;
    };
    // A process that is busy compares nothing.
    const isCompared = async () => {
      await Promise.all([askAt(gateway, '/tic_1'), askAt(gateway, '/t_1')]);
      return (await compared()) === 1;
    };
    await eventually(isCompared, { withinMs: 60_000, everyMs: 100 });
    gateway.write(SECOND);
    expect(await gateway.reload()).toMatchObject({
      status: 422,
      outcome: {
        ...{ kind: 'refused', rev: 1 },
        problems: [
          expect.stringMatching(/contract\.yaml.*resources\.tickets.*while tickets moves.*--force/s),
        ],
        resets: ['tickets'],
      },
    });
    expect(await compared()).toBe(1);
    expect(await gateway.reload('?force=true')).toMatchObject({
      status: 200,
      outcome: { kind: 'applied', rev: 2, resets: ['tickets'] },
    });
    expect(await compared()).toBe(0);
    await eventually(isCompared, { withinMs: 60_000, everyMs: 100 });
  });
});

describe('two gateways in one process', () => {
  it('answer each by its own contract', async () => {
    const sources = { 'shop.yaml': sourceText('shop') };
    const one = endAfterTest(await startGateway({ contract: FIRST, sources }));
    const other = endAfterTest(await startGateway({ contract: SECOND, sources }));
    const [first, second] = [await truthOf(FIRST), await truthOf(SECOND)];
    for (const [index, query] of QUERIES.entries()) {
      const answers = await Promise.all([askAt(one, query), askAt(other, query), askAt(one, query)]);
      expect(answers).toEqual([first[index], second[index], first[index]]);
    }
  });
});
