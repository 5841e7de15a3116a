import { sampleCredentials } from '../../../src/samples/credentials.ts';
import { startSamples } from '../../../src/samples/serve.ts';
import { freePort } from '../process/free-port.ts';
import { type RunningProcess, runProcess, startProcess } from '../process/running-process.ts';

/** The Node that every script of the project runs on. */
export const NODE = 'node_modules/.bin/node';

/** A demo that runs. */
export type Demo = {
  readonly process: RunningProcess;
  readonly port: number;
  readonly url: string;
  readonly key: string;
};

/** `npm run demo` on a free port; with `PORTICO_DEMO_KEY` where a key is given. */
export async function startDemo(env: Readonly<Record<string, string>> = {}): Promise<Demo> {
  const port = await freePort();
  const running = startProcess('npm', ['run', 'demo'], { PORT: String(port), ...env });
  try {
    const [, key = ''] = await running.prints(/^ *Key: +(\S+)$/m);
    await running.prints(/Ctrl-C/);
    return { process: running, port, url: `http://127.0.0.1:${String(port)}`, key };
  } catch (error) {
    await running.kill();
    throw error;
  }
}

/** A gateway process, started as an operator does. */
export type GatewayProcess = {
  readonly process: RunningProcess;
  readonly url: string;
  readonly adminUrl: string;
};

/** `portico start` on free ports. */
export async function startGatewayProcess(
  env: Readonly<Record<string, string>>,
  configFile = 'config/portico.yaml',
): Promise<GatewayProcess> {
  const args = ['src/main.ts', '--config', configFile, 'start'];
  const running = startProcess(NODE, args, { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...env });
  const [line] = await running.prints(/^\{.*"msg":"listening"\}$/m);
  const { port, adminPort } = JSON.parse(line) as { port: number; adminPort: number };
  return {
    process: running,
    url: `http://127.0.0.1:${String(port)}`,
    adminUrl: `http://127.0.0.1:${String(adminPort)}`,
  };
}

/** A command of `portico`, run to its end. */
export function runPortico(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runProcess(NODE, ['src/main.ts', ...args], env);
}

/** The sample services in this process, and the variables that lead a gateway to them. */
export async function startUpstreams() {
  const samples = await startSamples({
    ports: { users: 0, catalog: 0, orders: 0 },
    credentials: sampleCredentials,
  });
  const { users = '', catalog = '', orders = '' } = samples.urls;
  return { env: { USERS_URL: users, CATALOG_URL: catalog, ORDERS_URL: orders }, close: samples.close };
}
