import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import type { KeyRecordConfig } from '../../config/schema/access.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { redisRoles } from '../../config/schema/redis.ts';
import { hashApiKey, newApiKey, newKeyId, parseApiKey } from '../../policy/authentication/api-key.ts';
import { startSamples } from '../../samples/serve.ts';
import { type CliContext, ExitError, exitCodes } from '../context.ts';
import { readConfigOrExit } from '../input/read-config.ts';
import { startGateway } from './start.ts';

const ALL_PERMISSIONS = ['users:read', 'products:read', 'orders:read'];

/** A key of the demo: from the environment, or a new one. */
function demoKey(variable: string, context: CliContext): string {
  const given = context.env[variable];
  if (given === undefined || given === '') return newApiKey(newKeyId());
  if (/^[\x21-\x7e]{8,512}$/.test(given)) return given;
  context.err(`portico: ${variable} must be 8 to 512 visible ASCII characters, without spaces\n`);
  throw new ExitError(exitCodes.config);
}

function record(
  key: string,
  config: GatewayConfig,
  about: Pick<KeyRecordConfig, 'id' | 'label' | 'permissions' | 'tier'>,
): KeyRecordConfig {
  const pepper = config.auth.apiKeys?.pepper;
  if (pepper === undefined) throw new Error('the demo needs auth.apiKeys');
  return { ...about, id: parseApiKey(key)?.id ?? about.id, hash: hashApiKey(pepper, key) };
}

function demoInstructions(base: string, admin: string, key: string, limitedKey: string): string {
  // A quote within single quotes of the shell.
  const header = `'Authorization: Bearer ${key.replaceAll("'", `'\\''`)}'`;
  return `
Portico is running on ${base}, in front of three sample legacy services.

  Key:                   ${key}
  Key without products:  ${limitedKey}

Try:

  curl -H ${header} '${base}/v1/users?limit=3&sort=-created_at'
  curl -H ${header} '${base}/v1/products?category=Toys&max_price=20&limit=3'
  curl -H ${header} '${base}/legacy/orders'

The contract: ${base}/v1/openapi.json   Metrics: ${admin}/metrics   Stop: Ctrl-C
`;
}

/** `portico demo`: the sample services and a gateway in front of them, all in this process, without Redis. */
export async function runDemo(configFile: string, context: CliContext): Promise<void> {
  const samples = await startSamples({ ports: { users: 0, catalog: 0, orders: 0 } });
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
    };
    const ready = readConfigOrExit(configFile, { ...context, env });
    const { gateway: config } = ready;
    const key = demoKey('PORTICO_DEMO_KEY', context);
    const limitedKey = demoKey('PORTICO_DEMO_LIMITED_KEY', context);
    config.auth.apiKeys?.keys.push(
      record(key, config, { id: 'demodemo', label: 'demo', permissions: ALL_PERMISSIONS, tier: 'roomy' }),
      record(limitedKey, config, {
        id: 'demolimited',
        label: 'demo without products',
        permissions: ['users:read'],
        tier: 'standard',
      }),
    );
    Object.assign(
      config.redis,
      Object.fromEntries(['cluster', 'sentinel', ...redisRoles].map((key) => [key])),
    );
    // No load balancer stands before a demo, so none needs time to notice its end.
    config.listen.drain = 0;
    const { gateway, port, adminPort } = await startGateway(ready, context, { write: context.err });
    context.out(
      demoInstructions(`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`, key, limitedKey),
    );
    if (!context.stop.aborted) await once(context.stop, 'abort');
    await gateway.drain();
    context.out('Stopped.\n');
  } finally {
    await samples.close();
  }
}
