import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  followLayers,
  levelsOf,
  type LintConfig,
  type Route,
  TRACE_HEADER,
  type TraceMessage,
} from './layers.ts';

/*
 * Prints the way of a cached hit and of a miss through the layers of `src`: `npm run trace`, with `-- --verbose` each
 * layer with the functions entered there, for another checkout with `-- --root DIR`.
 *
 * The demo of the checkout runs with every function instrumented (sample services, no Redis) and is asked until it is
 * warm. Counted is what the request itself enters, in its own asynchronous context, from the event `request` of the
 * server until the answer is out; calls into clock, metrics, log and errors are left out.
 */

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: new URL('../../../', import.meta.url).pathname },
    verbose: { type: 'boolean', default: false },
  },
});
const root = resolve(values.root);
const KEY = 'a-key-that-only-the-trace-uses';
const WARM_REQUESTS = 20;

/** Starts the demo of the checkout; resolves with its address. */
async function startDemo() {
  const preload = new URL('./preload.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', preload, 'src/main.ts', 'demo'], {
    cwd: root,
    env: { ...process.env, PORT: '0', PORTICO_DEMO_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let printed = '';
  for await (const chunk of child.stdout!) {
    printed += String(chunk);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`the demo of ${root} ended:\n${printed}`);
}

const { child, url } = await startDemo();
const levels = levelsOf((await import(join(root, 'eslint.config.js'))) as LintConfig);

async function ask(page: number, traceName?: string): Promise<void> {
  const headers = {
    Authorization: `Bearer ${KEY}`,
    ...(traceName === undefined ? {} : { [TRACE_HEADER]: traceName }),
  };
  const reply = await fetch(`${url}/v1/users?limit=10&page=${String(page)}`, { headers });
  await reply.arrayBuffer();
  if (reply.status !== 200) throw new Error(`page ${String(page)}: status ${String(reply.status)}`);
}

async function trace(name: string, page: number): Promise<Route> {
  const [[message]] = await Promise.all([once(child, 'message'), ask(page, name)]);
  return followLayers((message as TraceMessage).entries, levels);
}

function print(name: string, { functions, files, changes, climbs, everyCall, stays }: Route): void {
  const counts = `${String(functions)} functions, ${String(files)} files, ${String(changes)} changes of layer, ${String(climbs)} climbs`;
  const every = `${String(everyCall.calls)} calls, ${String(everyCall.changes)} changes, ${String(everyCall.climbs)} climbs`;
  console.log(`${name.padEnd(6)}${counts} (every call counted: ${every})`);
  if (!values.verbose) return;
  for (const { layer, entries } of stays) {
    const names = entries.map((entry) => `${entry.path.slice(layer.length + 1)}:${entry.name}`);
    console.log(`  ${String(levels.get(layer)).padStart(2)} ${layer.padEnd(18)} ${names.join(', ')}`);
  }
}

try {
  for (let page = 1; page <= WARM_REQUESTS; page += 1) await ask(page);
  for (let again = 0; again < WARM_REQUESTS; again += 1) await ask(1);
  print('hit', await trace('hit', 1));
  print('miss', await trace('miss', WARM_REQUESTS + 1));
} finally {
  child.kill();
}
