// `portico demo`: shows a gateway to somebody who has no services, in front of sample services.

import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { redisRoles } from '../../config/schema/redis.ts';
import { anyPorts, startSamples } from '../demo/serve.ts';
import { sendTraffic } from '../demo/traffic.ts';
import type { CliContext } from '../context/context.ts';
import { readConfig } from '../input/read-config.ts';
import { demoFile } from '../input/shipped-files.ts';
import { quoted } from '../output/plain-output.ts';
import { keyEntry, keyHeader, serveEmbedded, temporaryKey } from './serve-embedded.ts';

const ALL_PERMISSIONS = ['users:read', 'products:read', 'orders:read'];

/** What the instructions name. */
type DemoAddresses = {
  readonly base: string;
  readonly admin: string;
  readonly people: string;
  readonly hasTraffic: boolean;
};

const TRAFFIC_HINT = 'started with DEMO_TRAFFIC=1, it shows a minute of traffic';
const TRAFFIC_RUNS = 'a minute of sample traffic, with faults, has begun';

function demoInstructions(
  { base, admin, people, hasTraffic }: DemoAddresses,
  key: string,
  limitedKey: string,
): string {
  const header = keyHeader(key);
  return `
Portico is running on ${base}, in front of four sample services.

  Key:                   ${key}
  Key without products:  ${limitedKey}
  Console for operators: ${admin}/console/  (${hasTraffic ? TRAFFIC_RUNS : TRAFFIC_HINT})
  Page of the API:       ${base}/docs

Try:

  curl -H ${header} '${base}/v1/users?limit=3&sort=-created_at'
  curl -H ${header} '${base}/v1/products?category=Toys&max_price=20&limit=3'
  curl -H ${header} '${base}/legacy/orders'

Move the users to another service, as config/docs/migrate.md shows:

  export PORTICO_URL=${base} PORTICO_KEY=${quoted(key)} PORTICO_ADMIN=${admin} PEOPLE_URL=${people}

The contract: ${base}/v1/openapi.json   Metrics: ${admin}/metrics   Stop: Ctrl-C
`;
}

/** `portico demo`: the sample services and a gateway in front of them, all in this process, without Redis. */
async function runDemo(configFile: string, context: CliContext): Promise<void> {
  const samples = await startSamples({ ports: anyPorts });
  try {
    const env = {
      LOG_LEVEL: 'warn',
      ADMIN_PORT: '0',
      ...context.env,
      HOST: '127.0.0.1',
      REDIS_URL: '',
      WORKERS: '1',
      PORTICO_KEY_PEPPER: randomBytes(32).toString('base64url'),
      USERS_URL: samples.urls.users,
      CATALOG_URL: samples.urls.catalog,
      ORDERS_URL: samples.urls.orders,
      PEOPLE_URL: samples.urls.people,
    };
    const ready = readConfig(configFile, env);
    const { gateway: config } = ready;
    const { apiKeys } = config.auth;
    if (apiKeys === undefined) throw new Error('the demo needs auth.apiKeys');
    const key = temporaryKey('PORTICO_DEMO_KEY', context);
    const limitedKey = temporaryKey('PORTICO_DEMO_LIMITED_KEY', context);
    const limited = { label: 'demo without products', permissions: ['users:read'], tier: 'standard' };
    const roomy = { label: 'demo', permissions: ALL_PERMISSIONS, tier: 'roomy' };
    apiKeys.keys.push(
      keyEntry(key, apiKeys.pepper, { id: 'demodemo', ...roomy }),
      keyEntry(limitedKey, apiKeys.pepper, { id: 'demolimited', ...limited }),
    );
    Object.assign(
      config.redis,
      Object.fromEntries(['cluster', 'sentinel', ...redisRoles].map((role) => [role])),
    );
    // No load balancer stands before a demo, so none needs time to notice its end.
    config.listen.drain = 0;
    const { people = '' } = samples.urls;
    const hasTraffic = context.env['DEMO_TRAFFIC'] === '1';
    await serveEmbedded(ready, context, (base, admin) => {
      if (hasTraffic) void sendTraffic({ base, key, limitedKey, samples, signal: context.stop });
      return demoInstructions({ base, admin, people, hasTraffic }, key, limitedKey);
    });
  } finally {
    await samples.close();
  }
}

/** Registers `portico demo`. `given`: the gateway file that the command line or the environment names. */
export function registerDemoCommand(
  program: Command,
  given: () => string | undefined,
  context: CliContext,
): void {
  program
    .command('demo')
    .description('start the sample services and the gateway in front of them')
    .action(() => runDemo(given() ?? demoFile, context));
}
