import { generateUsers, type UserTruth } from '../../../src/cli/demo/data/generate-users.ts';
import type { FaultBench } from '../../faults/harness/bench.ts';
import type { FaultGateway, GatewayOptions } from '../../faults/harness/gateway.ts';
import type { MigrationReport } from '../../../src/migration/report/migration-report.ts';
import type { AcknowledgedState } from '../../../src/migration/state/state-store.ts';
import { runCommand } from '../../support/command/run-command.ts';
import type { RedisServer } from '../../support/redis/redis-server.ts';
import { isMarked, type ModelService, startModelService } from './model-service.ts';

/** What a fleet is started with, where the usual will not do. */
export type FleetOptions = {
  readonly users?: number;
  /** Laid over `migration` of the users. */
  readonly migration?: Readonly<Record<string, unknown>>;
  readonly cache?: Readonly<Record<string, unknown>>;
  /** How many keys are stored in Redis; none by default. */
  readonly keys?: number;
  readonly gateways?: number;
  /** The users may be read without a credential. */
  readonly isPublic?: boolean;
  /** Laid over the gateway file. */
  readonly gateway?: Readonly<Record<string, unknown>>;
  /** Laid over `redis` of the gateway file. */
  readonly redis?: Readonly<Record<string, unknown>>;
  /** Where each gateway, by its number, finds the Redis of the fleet; by default, all where it is. */
  readonly wayToRedis?: (number: number, redis: RedisServer) => Promise<string>;
  /** Variables of the gateway processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where each gateway keeps its state, by its number. */
  readonly stateDir?: (number: number) => string;
};

/** One answer, and which service it is from, given that the new one marks its records. */
export type OriginAnswer = {
  readonly status: number;
  readonly isNew: boolean;
  readonly askedAt: number;
  readonly endedAt: number;
};

/** Gateways on one Redis, whose users move from one service to another. */
export type Fleet = {
  readonly redis: RedisServer;
  readonly gateways: readonly FaultGateway[];
  /** Keys that only Redis knows. */
  readonly callers: readonly string[];
  /** `portico migration` with these words, asked of a gateway; what it printed. @throws Error where it does not end with 0 */
  operate(words: string, on?: FaultGateway): Promise<Record<string, unknown>>;
  /** What `portico migration status users` prints. */
  status(): Promise<
    MigrationReport & { readonly replicas: AcknowledgedState; readonly notes: readonly string[] }
  >;
  /** Goes to a stage without regard to its gate, such as `ramp users --percent 50`, and waits until all processes know. */
  goTo(words: string): Promise<void>;
  /** Asks one of the gateways in turn; with the key of the configuration by default. */
  ask(path: string, key?: string): Promise<OriginAnswer>;
  /** Ends a gateway, and starts another one in its place. */
  restart(number: number): Promise<void>;
};

/** A fleet between two services over one model. */
export type MigratingFleet = Fleet & {
  readonly users: readonly UserTruth[];
  readonly legacy: ModelService;
  readonly next: ModelService;
};

/** Rows that ask for it do without: they are about other things. */
const NO_GATE = {
  soak: '0s',
  step: '0s',
  stepRequests: 0,
  liveFor: '0s',
  quiet: '0s',
  rehearsal: false,
  walk: false,
  edges: false,
  file: false,
  // A pause of a busy machine must not look like a call that the new source leaves unanswered.
  latencySlack: '1m',
};

/** By a mark in the names a test sees which service answered: such names are no difference here. */
const decided = { owner: 'test', reason: 'the new service marks its records', until: '2099-01-01' };
const IGNORE_NAMES = [
  { path: 'data.name', ...decided },
  { path: 'data[].name', ...decided },
];

/** The names of two sources, and what else a gateway between them is started with. */
type Between = Pick<GatewayOptions, 'sources' | 'env'> & { readonly source: string; readonly to: string };

function optionsOf(
  { source, to, ...between }: Between,
  redisUrl: string,
  {
    migration = {},
    cache = { fresh: '300s', notFound: '0s' },
    redis = {},
    gateway = {},
    isPublic = false,
    stateDir,
  }: FleetOptions,
  number: number,
): GatewayOptions {
  const usual = { gate: NO_GATE, rollback: { cooldown: '0s' }, compare: { ignore: IGNORE_NAMES } };
  // No row is about a caller's patience: a machine that is busy must not look like a source that fails.
  const users = {
    source,
    public: isPublic,
    cache,
    deadline: '1m',
    migration: { to, ...usual, ...migration },
  };
  const state = stateDir && { state: { dir: stateDir(number) } };
  return {
    ...between,
    config: { redis: { url: redisUrl, ...redis }, resources: { users }, ...state, ...gateway },
    truth: () => undefined,
    mayEnd: true,
  };
}

async function operateOn(gateway: FaultGateway, words: string): Promise<Record<string, unknown>> {
  const args = ['migration', ...words.split(' '), '--json', '--gateway', gateway.adminUrl];
  const { code, out, err } = await runCommand(args);
  if (code !== 0) throw new Error(`portico migration ${words} ended with ${String(code)}: ${err}${out}`);
  return JSON.parse(out) as Record<string, unknown>;
}

/** Starts gateways between two services that are there, and creates the migration. */
export async function startFleet(
  bench: FaultBench,
  between: Between,
  options: FleetOptions = {},
): Promise<Fleet> {
  const redis = await bench.redis();
  async function start(number: number, keys = 0): Promise<FaultGateway> {
    const url = (await options.wayToRedis?.(number, redis)) ?? redis.url;
    return bench.gateway({ ...optionsOf(between, url, options, number), keys });
  }
  const gateways = [await start(0, options.keys)];
  const callers = gateways[0]?.storedKeys ?? [];
  for (let number = 1; number < (options.gateways ?? 4); number += 1) gateways.push(await start(number));
  let turn = 0;

  const one = (number: number) => gateways[number % gateways.length] as FaultGateway;
  const operate: Fleet['operate'] = (words, on = one(0)) => operateOn(on, words);
  const status: Fleet['status'] = () => operate('status users') as unknown as ReturnType<Fleet['status']>;
  async function goTo(words: string): Promise<void> {
    await operate(`${words} --force --reason test`);
    await bench.until(async () => {
      const { replicas } = await status();
      return replicas.total === gateways.length && replicas.atRev === replicas.total;
    });
  }

  await operate('create users');
  return {
    ...{ redis, gateways, callers, operate, status, goTo },
    async ask(path, key) {
      const gateway = one((turn += 1));
      const credential = key ?? gateway.configuredKey;
      const { status, body, askedAt, ms } = await gateway.ask(path, { key: credential, entitled: false });
      return { status, isNew: isMarked(body), askedAt, endedAt: askedAt + ms };
    },
    async restart(number) {
      await one(number).process.kill();
      gateways[number] = await start(number);
    },
  };
}

/** Starts two services over one model, and gateways between them. */
export async function startMigratingFleet(
  bench: FaultBench,
  options: FleetOptions = {},
): Promise<MigratingFleet> {
  const users = generateUsers({ seed: 1, count: options.users ?? 1_000 }).map(({ truth }) => truth);
  const legacy = await startModelService('old-users', users);
  const next = await startModelService('new-users', users);
  bench.own(legacy.upstream);
  bench.own(next.upstream);
  const sources = { 'old-users.yaml': legacy.source, 'new-users.yaml': next.source };
  const between = { source: 'old-users', to: 'new-users', sources, env: options.env ?? {} };
  const fleet = await startFleet(bench, between, options);
  return { ...fleet, users, legacy, next };
}

/** Does the work for each, so many at a time; the results in their order. */
export async function forEachOf<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let from = 0;
  async function worker(): Promise<void> {
    for (;;) {
      const index = from;
      from += 1;
      if (index >= items.length) return;
      results[index] = await work(items[index] as T, index);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
