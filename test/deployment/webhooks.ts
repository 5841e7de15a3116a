import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { webhookEvents } from '../../src/config/schema/telemetry.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openWebhooks } from '../../src/gateway/reload/open-webhooks.ts';
import { createRandom } from '../../src/cli/demo/data/random.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { usersSource } from '../operations/harness/users-source.ts';
import { eventually } from '../support/time/eventually.ts';
import { serving, startUpstream, type UpstreamRequest } from '../support/upstream/scripted-upstream.ts';

const SECRET = 'what-the-receiver-knows-too';

type Message = { readonly type: string; readonly data: Record<string, unknown> };
const messageOf = ({ body }: UpstreamRequest) => JSON.parse(body) as Message;

/** Whether a request was signed with the secret. */
function isSigned({ headers, body }: UpstreamRequest): boolean {
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const signature = createHmac('sha256', SECRET).update(text).digest('base64');
  return headers['webhook-signature'] === `v1,${signature}`;
}

const told: BenchRow = {
  id: 'webhooks-1',
  name: 'a receiver is told, signed and in order, of a breaker that opens and closes, and of a refused reload',
  fast: true,
  async run(bench) {
    const received: UpstreamRequest[] = [];
    const receiver = bench.own(
      await startUpstream(
        serving((request) => {
          received.push(request);
          return { status: 204 };
        }),
      ),
    );
    let isHealthy = false;
    const answer = () => ({ status: isHealthy ? 200 : 500, body: { total: 0, rows: [] } });
    const upstream = bench.own(await startUpstream(serving(answer)));
    const gateway = await bench.gateway({
      config: {
        webhooks: [{ url: `${receiver.origin}/hook`, secret: SECRET }],
        resources: { users: { source: 'people', cache: { fresh: '0s', notFound: '0s' } } },
      },
      sources: {
        'people.yaml': usersSource(
          upstream.origin,
          'breaker: { calls: 3, window: 60s, open: 200ms }, retries: { max: 0 }',
        ),
      },
      truth: () => undefined,
    });
    const ask = () => gateway.ask('/v1/users?limit=1', { entitled: false });
    const types = () => received.map((request) => messageOf(request).type);
    async function untilTold(type: string): Promise<void> {
      const isTold = async () => {
        await ask();
        return types().includes(type);
      };
      await bench.until(isTold, 30_000, 20);
    }
    await untilTold('breaker.opened');
    isHealthy = true;
    await untilTold('breaker.closed');
    appendFileSync(gateway.configFile, '\nnonsense: 1\n');
    gateway.process.signal('SIGHUP');
    await eventually(() => types().includes('config.refused'), { withinMs: 30_000 });
    assert.deepEqual(types(), ['breaker.opened', 'breaker.closed', 'config.refused']);
    assert.ok(received.every(isSigned));
    const [problem = ''] = messageOf(received[2]!).data['problems'] as string[];
    assert.match(problem, /portico\.yaml:\d+:.*nonsense/);
    const delivered = await gateway.counted('portico_webhooks_total', 'outcome="delivered"');
    return promised(delivered === 3, { told: types().length, delivered });
  },
};

const DAY_MS = 86_400_000;

const alike: BenchRow = {
  id: 'webhooks-3',
  name: 'of a key that ends soon all processes send the same message, under one id; of a refused reload a gateway of several workers tells once',
  async run(bench) {
    const received: UpstreamRequest[] = [];
    const take = (request: UpstreamRequest) => {
      received.push(request);
      return { status: 204 };
    };
    const receiver = bench.own(await startUpstream(serving(take)));
    const redis = await bench.redis();
    const config = { redis: { url: redis.url }, webhooks: [{ url: receiver.origin, secret: SECRET }] };
    const alone = await bench.gateway({ config });
    const { record } = bench.mint();
    // At once: a process looks for such keys ten seconds after its start, and then every ten minutes.
    await alone.withStored(({ store }) => store.create({ ...record, expiresAt: Date.now() + 9 * DAY_MS }));
    const shared = await bench.gateway({ config: { ...config, workers: 2 } });
    const told = (type: string) => received.filter((request) => messageOf(request).type === type);
    // One process, and two workers.
    await bench.until(() => told('key.expiring').length === 3, 120_000, 100);
    const messages = told('key.expiring').map(
      ({ headers, body }) =>
        `${String(headers['webhook-id'])} ${JSON.stringify((JSON.parse(body) as Message).data)}`,
    );
    assert.equal(new Set(messages).size, 1);
    appendFileSync(shared.configFile, '\nnonsense: 1\n');
    shared.process.signal('SIGHUP');
    await bench.until(() => told('config.refused').length === 1, 30_000);
    await bench.sleep(2_000);
    // A reload that was refused is an incident, too.
    const others = received
      .map((request) => messageOf(request).type)
      .filter((type) => type !== 'key.expiring');
    assert.deepEqual(others.toSorted(), ['config.refused', 'incident.opened']);
    return promised(received.every(isSigned), { told: received.length, 'different messages of a key': 1 });
  },
};

const EVENTS = 10_000;
const SUBJECTS = 500;
const GONE_MS = 60_000;
const HANGS = 0.002;

/** The numbers of each subject, in the order in which they were first taken. */
function inOrder(taken: readonly (readonly [subject: string, number: number])[]): boolean {
  const last = new Map<string, number>();
  return taken.every(([subject, number]) => {
    const isNext = number > (last.get(subject) ?? -1);
    last.set(subject, number);
    return isNext;
  });
}

const survives: BenchRow = {
  id: 'webhooks-2',
  name: '10,000 events of 500 subjects at a receiver that fails half of the time, hangs, and is gone for a minute: each is delivered or counted as dead, in the order of its subject',
  async run(bench) {
    const random = createRandom(14);
    const taken: (readonly [string, number])[] = [];
    const ids = new Set<unknown>();
    let calls = 0;
    const receiver = bench.own(
      await startUpstream(
        serving((request) => {
          calls += 1;
          const chance = random.below(10_000) / 10_000;
          if (chance < HANGS) return undefined;
          if (chance < 0.5) return { status: 500, body: {} };
          const { subject, number } = messageOf(request).data as { subject: string; number: number };
          // What was taken may come again, if its answer was lost.
          if (!ids.has(request.headers['webhook-id'])) taken.push([subject, number]);
          ids.add(request.headers['webhook-id']);
          return { status: 204 };
        }),
      ),
    );
    const counts = { delivered: 0, retried: 0, dead: 0 };
    const webhooks = bench.own(
      openWebhooks({
        targets: () => [{ url: receiver.origin, secret: new Secret(SECRET), events: [...webhookEvents] }],
        ...{ clock: systemClock, instance: 'test', log: { warn: () => undefined } },
        metrics: {
          webhook: (_event, outcome) => void (counts[outcome] += 1),
          watchWebhooks: () => undefined,
        },
        // A tenth of what is usual, and so a receiver that is gone for ten times as long.
        ...{ retriesMs: [100, 500, 3_000, 12_000, 48_000], timeoutMs: 500 },
      }),
    );
    const startedAt = performance.now();
    for (let number = 0; number < EVENTS; number += 1) {
      const subject = `breaker:${number % SUBJECTS}`;
      webhooks.tell({ type: 'breaker.opened', subject, data: { subject, number } });
    }
    const tellMs = performance.now() - startedAt;
    await bench.sleep(5_000);
    await receiver.down();
    await bench.sleep(GONE_MS);
    await receiver.up();
    await bench.until(() => webhooks.waiting() === 0, 900_000, 500);
    assert.equal(counts.delivered + counts.dead, EVENTS, 'each is delivered or dead');
    assert.equal(taken.length, counts.delivered, 'what was delivered has arrived');
    return promised(inOrder(taken), {
      ...counts,
      'calls at the receiver': calls,
      'µs to tell one': (1_000 * tellMs) / EVENTS,
      seconds: (performance.now() - startedAt) / 1_000,
    });
  },
};

/** What is told to receivers of webhooks. */
export const webhookRows: readonly BenchRow[] = [told, survives, alike];
