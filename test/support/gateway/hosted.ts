import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { parse } from 'yaml';
import {
  createPortico,
  type Portico,
  type PorticoConfig,
  type PorticoOptions,
} from '../../../src/library.ts';
import { openListener } from '../../../src/http/listener/open-listener.ts';
import { endAfterTest } from '../jest/lifetime.ts';
import { createSampleServices } from './sample-services.ts';
import { KEY, PEPPER, storedHash } from './stack.ts';

/** A key of the gateway file as JSON. */
type Section = Record<string, unknown>;

/** The committed configuration as an object: `KEY` may read everything, and nothing is refused for its rate. */
export function hostedConfig(over: Section = {}): PorticoConfig {
  const read = (file: string) => parse(readFileSync(`config/${file}`, 'utf8')) as Section;
  const sources = readdirSync('config/sources').map((file) => [file, read(`sources/${file}`)] as const);
  const permissions = ['users:read', 'products:read', 'orders:read'];
  const entry = { id: 'everything', hash: storedHash(KEY), label: 'all', permissions, tier: 'roomy' };
  return {
    gateway: {
      ...read('portico.yaml'),
      listen: { host: '127.0.0.1', port: 0, drain: '0s' },
      admin: { port: 0 },
      auth: { apiKeys: { pepper: PEPPER, keys: [entry] } },
      limits: { tiers: { roomy: { windows: ['1000000 per 1s'] } }, anonymousTier: 'roomy' },
      overload: { eventLoopDelayMax: '1m' },
      ...over,
    },
    contract: read('contract.yaml'),
    sources: Object.fromEntries(sources),
  };
}

/** The headers of a caller who may read everything. */
export const AUTHORIZED = { authorization: `Bearer ${KEY}` };

/** The variables with the addresses of sample services that run with the test, or of another origin; without Redis. */
export async function hostedEnv(upstream?: string): Promise<Record<string, string>> {
  const services = createSampleServices({});
  if (upstream !== undefined) return { ...services.at(upstream), REDIS_URL: '' };
  return { ...(await endAfterTest(services).listen()), REDIS_URL: '' };
}

/** Makes, for the running test, a gateway as a library, in front of the sample services or of another origin. */
export async function createHosted(
  options: Partial<PorticoOptions> = {},
  upstream?: string,
): Promise<Portico> {
  const env = { ...(await hostedEnv(upstream)), ...options.env };
  return endAfterTest(await createPortico({ config: hostedConfig(), ...options, env }));
}

/** Starts, for the running test, a server of a host; the result is its address. */
export async function serveHost(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  endAfterTest(server, () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${await openListener(server, { host: '127.0.0.1', port: 0 })}`;
}

/** A logger that keeps its lines. */
export function keepLog() {
  const lines: (Record<string, unknown> & { readonly level: string; readonly message?: string })[] = [];
  const write = (level: string) => (fields: object, message?: string) =>
    void lines.push({ ...fields, level, ...(message !== undefined && { message }) });
  const logger = {
    level: 'info',
    isLevelEnabled: (level: string) => level !== 'debug',
    ...{ debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  };
  return { logger, lines };
}
