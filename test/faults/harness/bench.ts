import { eventually } from '../../support/time/eventually.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisServer, startRedis } from '../../support/redis/redis-server.ts';
import { createSampleServices } from '../../support/gateway/sample-services.ts';
import type { MintedKey } from '../../../src/pipeline/stages/authentication/key-changes.ts';
import { type FaultGateway, type GatewayOptions, startFaultGateway } from './gateway.ts';
import { comeFirst } from './load/priority.ts';
import { createBenchSecrets, mintBenchKey } from './secrets.ts';

/** One gateway process on one Redis, left by every row as it was found. */
export type SharedSetup = { readonly gateway: FaultGateway; readonly redis: RedisServer };

/** A gateway that several rows use, one after the other, with whatever stands behind it. */
export type CommonSetup = { readonly gateway: FaultGateway; close(): Promise<unknown> };

/** What a row does its harm with. Whatever it opens here is checked and closed behind it. */
export type FaultBench = {
  /** Stands in every secret: plant it in whatever must not come out. */
  readonly secretMarker: string;
  /** Another secret that must not come out. */
  secret(text: string): void;
  /** A well-formed key that is stored nowhere yet, and its record. */
  mint(): MintedKey;
  /** Whether bounds in time are looked at, and there is time for long stretches of harm. */
  readonly strict: boolean;
  /** Whether there is as much time as a row can use. */
  readonly long: boolean;
  /** One gateway process on one Redis for all rows that only ask: it takes no time. */
  shared(): Promise<SharedSetup>;
  /** A setup shared by all rows that use its name. `open` is called once; the bench closes what it opens. */
  common<T extends CommonSetup>(
    name: string,
    open: (start: (options: GatewayOptions) => Promise<FaultGateway>) => Promise<T>,
  ): Promise<T>;
  /** A gateway process of the row's own; on a Redis where `config.redis` names one. */
  gateway(options?: GatewayOptions): Promise<FaultGateway>;
  /** A redis-server of the row's own, with these options. */
  redis(...args: readonly string[]): Promise<RedisServer>;
  /** Has something closed once the row is over: the latest first. */
  own<T extends { close(): unknown } | { stop(): unknown }>(thing: T): T;
  /** Variables that lead a gateway to the sample services, and their calls so far. */
  readonly samples: { readonly env: Readonly<Record<string, string>>; calls(): number };
  /**
   * A bound in time: `npm run test:faults` fails the row where it is broken. In `npm test`, where other tests keep the
   * machine busy, it is not looked at.
   */
  atMost(what: string, value: number, bound: number): void;
  sleep(ms: number): Promise<unknown>;
  /** Waits until something holds, asked every `everyMs`; how long that took. Rejects after `withinMs`, a minute by default. */
  until(holds: () => boolean | Promise<boolean>, withinMs?: number, everyMs?: number): Promise<number>;
};

/** @internal What the runner of the rows holds. */
export type OpenBench = FaultBench & {
  /** The gateways that the row used. */
  gateways(): readonly FaultGateway[];
  secretsIn(text: string): readonly string[];
  /** Begins a row. */
  begin(): void;
  /** Closes what the row opened; the bounds that it broke. */
  end(): Promise<readonly string[]>;
  close(): Promise<void>;
};

async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs = 60_000,
  everyMs = 5,
): Promise<number> {
  const startedAt = performance.now();
  await eventually(holds, { withinMs, everyMs });
  return performance.now() - startedAt;
}

/** Setups that several rows share. The first row that asks for one opens it. */
function createCommonSetups(
  start: (options: GatewayOptions) => Promise<FaultGateway>,
  use: (gateway: FaultGateway, isNew: boolean) => void,
) {
  const setups = new Map<string, Promise<CommonSetup>>();
  const open: FaultBench['common'] = async <T extends CommonSetup>(
    name: string,
    create: (startGateway: typeof start) => Promise<T>,
  ) => {
    const known = setups.get(name) as Promise<T> | undefined;
    const setup = known ?? create(start);
    setups.set(name, setup);
    const opened = await setup;
    use(opened.gateway, known === undefined);
    return opened;
  };
  return {
    open,
    async close(): Promise<void> {
      // If a setup could not be opened, the row that asked for it has reported that.
      for (const setup of setups.values()) await (await setup.catch(() => undefined))?.close();
    },
  };
}

type BenchOptions = { readonly strict: boolean; readonly long?: boolean };

/** Opens the bench: the sample services in this process, everything else when a row asks for it. */
export async function openBench({ strict, long = false }: BenchOptions): Promise<OpenBench> {
  const secrets = createBenchSecrets();
  const services = createSampleServices({
    secretMarker: secrets.secretMarker,
    credentials: secrets.credentials,
  });
  const urls = await services.listen();
  let calls = 0;
  for (const { server } of [services.users, services.catalog, services.orders])
    server.on('request', () => void (calls += 1));

  const usual = { ...urls, ...secrets.env };
  let owned: (() => unknown)[] = [];
  let gateways: FaultGateway[] = [];
  let broken: string[] = [];

  async function start(options: GatewayOptions): Promise<FaultGateway> {
    const gateway = await startFaultGateway(options, { ...usual, ...options.env }, secrets, !strict);
    if (strict) comeFirst(gateway.process.pid);
    return gateway;
  }

  function own<T extends { close(): unknown } | { stop(): unknown }>(thing: T): T {
    owned.push(() => ('close' in thing ? thing.close() : thing.stop()));
    return thing;
  }

  async function startShared(): Promise<SharedSetup & CommonSetup> {
    const redis = await startRedis();
    const gateway = await start({ config: { redis: { url: redis.url }, cache: { localSeconds: '1s' } } });
    const close = async () => {
      await gateway.close();
      await redis.stop();
    };
    return { redis, gateway, close };
  }

  function use(gateway: FaultGateway, isNew: boolean): void {
    if (gateways.includes(gateway)) return;
    if (!isNew) gateway.checked.mark();
    gateways.push(gateway);
  }
  const common = createCommonSetups(start, use);

  return {
    secretMarker: secrets.secretMarker,
    secret: (text) => secrets.add(text),
    strict,
    long,
    mint: () => mintBenchKey(secrets),
    shared: () => common.open('shared', startShared),
    common: common.open,
    async gateway(options = {}) {
      const gateway = own(await start(options));
      gateways.push(gateway);
      return gateway;
    },
    redis: async (...args) => own(await startRedis(...args)),
    own,
    samples: { env: urls, calls: () => calls },
    atMost(what, value, bound) {
      if (strict && value > bound) broken.push(`${what}: ${Math.round(value)}, at most ${bound}`);
    },
    sleep,
    until,
    gateways: () => gateways,
    secretsIn: (text) => secrets.in(text),
    begin() {
      [owned, gateways, broken] = [[], [], []];
    },
    async end() {
      for (const close of owned.reverse()) await close();
      return broken;
    },
    async close() {
      await common.close();
      await services.close();
    },
  };
}
