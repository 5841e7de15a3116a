import { createHash } from 'node:crypto';
import type { FaultBench } from '../../faults/harness/bench.ts';
import type { FaultGateway } from '../../faults/harness/gateway.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

const tokens = { viewer: 'the-token-that-prometheus-has', operator: 'the-token-that-ada-has-alone' };

/** Tokens of an operator and, by its hash, of a viewer. */
const namedTokens = [
  { name: 'ada', role: 'operator', token: tokens.operator },
  { name: 'prometheus', role: 'viewer', hash: createHash('sha256').update(tokens.viewer).digest('hex') },
];

/** What an operator does with a gateway and its Redis. */
export type Operator = {
  readonly gateway: FaultGateway;
  readonly redis: Awaited<ReturnType<FaultBench['redis']>>;
  /** A command through the listener, with neither the pepper nor Redis at hand. @throws Error where it fails */
  readonly through: (...args: readonly string[]) => Promise<string>;
  /** A request to the listener. */
  readonly ask: (path: string, method: string, token?: string) => Promise<Response>;
  /** The status of a request to the public listener with a key, from an address. */
  readonly statusOf: (key: string, from?: string, path?: string) => Promise<number>;
};

/** A gateway with named tokens and one proxy in front. */
const optionsOf = (redis: Operator['redis'], workers = 1) => ({
  config: {
    workers,
    redis: { url: redis.url },
    admin: { token: '', tokens: namedTokens },
    listen: { trustProxy: 1 },
  },
  adminToken: tokens.viewer,
});

const operatorOf = (gateway: FaultGateway, redis: Operator['redis']): Operator => ({
  gateway,
  redis,
  async through(...args) {
    const env = { PORTICO_ADMIN_TOKEN: tokens.operator };
    const { code, out, err } = await runCommand([...args, '--gateway', gateway.adminUrl], env);
    if (code !== 0) throw new Error(err);
    return out;
  },
  ask: (path, method, token) =>
    fetch(gateway.adminUrl + path, {
      method,
      ...(token && { headers: { authorization: `Bearer ${token}` } }),
    }),
  async statusOf(key, from = '10.1.2.3', path = '/v1/users?limit=1') {
    const headers = { 'x-api-key': key, 'x-forwarded-for': from };
    return (await fetch(gateway.url + path, { headers })).status;
  },
});

/** Starts a gateway on a Redis of its own. */
export async function startOperator(
  bench: FaultBench,
  workers = 1,
  ...redisArgs: readonly string[]
): Promise<Operator> {
  const redis = await bench.redis(...redisArgs);
  return operatorOf(await bench.gateway(optionsOf(redis, workers)), redis);
}

/** One gateway for all rows that leave it as they find it. */
export function sharedOperator(bench: FaultBench): Promise<Operator> {
  return bench.common('operator', async (start) => {
    const redis = await startRedis();
    const gateway = await start(optionsOf(redis));
    const close = async () => {
      await gateway.close();
      await redis.stop();
    };
    return { ...operatorOf(gateway, redis), close };
  });
}

export { tokens as tokenTexts };
