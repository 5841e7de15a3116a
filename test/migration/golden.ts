import { Agent, request } from 'node:http';
import { createRandom, type Random } from '../../src/cli/demo/data/random.ts';
import { sampleCredentials } from '../../src/cli/demo/serve.ts';
import { generateUsers } from '../../src/cli/demo/data/generate-users.ts';
import { createPeopleService } from '../../src/cli/demo/people-service.ts';
import { createUsersService } from '../../src/cli/demo/users-service.ts';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { type Fleet, forEachOf, startFleet } from './harness/migrating-fleet.ts';

const REQUESTS = 5_000;
const RECORDS = 400;

/** What may differ between two answers to the same request: times, ids, what the limiter and the cache say of themselves. */
const OWN = /^(?:date|x-request-id|ratelimit.*|age|cache-status)$/;

/** A request of a recorded day: lists of all kinds, records, missing ones, wrong parameters and routes. */
function goldenOf(random: Random, ids: readonly string[]): string {
  const sort = random.pick(['', '&sort=id', '&sort=-id', '&sort=name', '&sort=-email', '&sort=created_at']);
  const list = `/v1/users?limit=${String(1 + random.below(100))}&page=${String(1 + random.below(12))}${sort}`;
  return random.pick([
    list,
    list,
    `/v1/users/${random.pick(ids)}`,
    `/v1/users/${random.pick(ids)}`,
    `/v1/users/${random.pick(ids)}`,
    `/v1/users/user_${String(1_000_000 + random.below(100))}`,
    random.pick([
      '/v1/users?limit=0',
      '/v1/users?sort=town',
      '/v1/users/prod_1',
      '/v1/users?page=x',
      '/v1/users',
    ]),
  ]);
}

/** An answer as one text: its status, its headers but those of its own, and its body. */
function ask(agent: Agent, port: number, path: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const kept = Object.entries(response.headers).filter(([name]) => !OWN.test(name));
        const texts = kept.map(
          ([name, value]) => `${name}: ${String(value).replace(/max-age=\d+/, 'max-age')}`,
        );
        const body = Buffer.concat(chunks)
          .toString('latin1')
          .replace(/req_[\w-]+/g, 'req');
        resolve([String(response.statusCode), ...texts.sort(), body].join('\n'));
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** The sample CRM and a right copy of it at the service that the users move to, with four gateways between them. */
async function startSampleFleet(bench: FaultBench): Promise<{ fleet: Fleet; ids: readonly string[] }> {
  const users = generateUsers({ seed: 1, count: RECORDS });
  const { users: login, people: access } = sampleCredentials;
  const crm = bench.own(createUsersService({ users, credentials: login, secretMarker: bench.secretMarker }));
  const people = bench.own(
    createPeopleService({ users, credentials: access, secretMarker: bench.secretMarker, isClean: true }),
  );
  const env = {
    USERS_URL: (await crm.listen()).url,
    USERS_USER: login.user,
    USERS_PASSWORD: login.password,
    PEOPLE_URL: (await people.listen()).url,
    PEOPLE_TOKEN: access.token,
  };
  const cache = { fresh: '1s', notFound: '1s' };
  const fleet = await startFleet(bench, { source: 'crm', to: 'people', env }, { cache });
  return { fleet, ids: users.map(({ truth }) => truth.id) };
}

const STAGES = [
  'shadow users',
  'ramp users --percent 50',
  'ramp users --percent 100',
  'live users',
  'complete users',
];

const golden: BenchRow = {
  id: 'golden-1',
  name: '5,000 requests recorded in `legacy` have the same answers, bodies and headers, in every stage up to `complete`',
  async run(bench) {
    const { fleet, ids } = await startSampleFleet(bench);
    const random = createRandom(11);
    const requests = Array.from({ length: REQUESTS }, () => goldenOf(random, ids));
    const agent = new Agent({ keepAlive: true });
    const askAll = () =>
      forEachOf(requests, 16, (path, n) => {
        const gateway = fleet.gateways[n % fleet.gateways.length];
        return ask(agent, gateway?.port ?? 0, path, gateway?.configuredKey ?? '');
      });
    const recorded = await askAll();
    const equal: Record<string, number> = {};
    let first = '';
    for (const stage of STAGES) {
      await fleet.goTo(stage);
      const answers = await askAll();
      const differs = answers.findIndex((answer, at) => answer !== recorded[at]);
      if (differs !== -1 && first === '')
        first = `${stage}: ${requests[differs] ?? ''}\n${recorded[differs] ?? ''}\n${answers[differs] ?? ''}`;
      equal[stage.replace(/ users(?: --percent)?/, '')] = answers.filter(
        (one, at) => one === recorded[at],
      ).length;
    }
    agent.destroy();
    const isEqual = Object.values(equal).every((count) => count === REQUESTS);
    return promised(isEqual, { ...equal, ...(first !== '' && { first: first.slice(0, 1_500) }) });
  },
};

/** What clients see of a migration: nothing. */
export const goldenRows: readonly BenchRow[] = [golden];
