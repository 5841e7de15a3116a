import { anyPorts, startSamples } from '../../../src/cli/demo/serve.ts';
import { runCommand } from '../command/run-command.ts';
import { gatewayAt, type RunningGateway } from './running-gateway.ts';
import { freePort } from '../process/free-port.ts';
import { program } from '../process/program.ts';
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

/** The demo on a free port, by the bundled program or by another command; `PORTICO_DEMO_KEY` gives it a key. */
export async function startDemo(
  env: Readonly<Record<string, string>> = {},
  [command, ...args]: readonly [string, ...string[]] = [NODE, program(), 'demo'],
): Promise<Demo> {
  const port = await freePort();
  const running = startProcess(command, args, { PORT: String(port), ...env });
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
export type GatewayProcess = RunningGateway & {
  readonly process: RunningProcess;
  /** The lines of its log, parsed; those from a place in its output on. */
  lines<T extends object = Record<string, unknown>>(from?: number): T[];
};

/** `portico start` on free ports; by the bundled program, or by another `main`. */
export async function startGatewayProcess(
  env: Readonly<Record<string, string>>,
  configFile = 'config/portico.yaml',
  adminToken?: string,
  main = program(),
): Promise<GatewayProcess> {
  const args = [main, '--config', configFile, 'start'];
  const running = startProcess(NODE, args, { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...env });
  const [line] = await running.prints(/^\{.*"msg":"listening"\}$/m);
  const ports = JSON.parse(line) as { port: number; adminPort: number };
  return {
    ...gatewayAt(ports, () => running.kill(), adminToken),
    process: running,
    lines(from = 0) {
      const text = running.out.slice(from);
      const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
      return whole.filter((one) => one.startsWith('{')).map((one) => JSON.parse(one) as never);
    },
  };
}

/** A command of `portico`, run to its end. */
export function runPortico(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runProcess(NODE, [program(), ...args], env);
}

/** Creates a key with `portico keys create`; one that may read users in the roomy tier by default. */
export async function createKey(
  configFile: string,
  env: Readonly<Record<string, string>>,
  { permissions = 'users:read', tier = 'roomy' } = {},
): Promise<{ readonly key: string; readonly id: string }> {
  const terms = ['--label', 'test', '--permissions', permissions, '--tier', tier, '--json'];
  const { code, out, err } = await runCommand(['--config', configFile, 'keys', 'create', ...terms], env);
  if (code !== 0 || err !== '') throw new Error(`no key was created: ${err}`);
  return JSON.parse(out) as { key: string; id: string };
}

/** The sample services in this process, and the variables that lead a gateway to them. */
export async function startUpstreams() {
  const { urls, close } = await startSamples({ ports: anyPorts });
  const { users = '', catalog = '', orders = '', people = '' } = urls;
  return { env: { USERS_URL: users, CATALOG_URL: catalog, ORDERS_URL: orders, PEOPLE_URL: people }, close };
}
