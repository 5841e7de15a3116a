import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FaultBench } from '../../faults/harness/bench.ts';
import { editFile } from '../../support/gateway/config-copy.ts';
import { NODE, startUpstreams } from '../../support/gateway/gateway-process.ts';
import { gatewayAt, type RunningGateway } from '../../support/gateway/running-gateway.ts';
import { runProcess, startProcess } from '../../support/process/running-process.ts';

/** The commit that runs beside this one: the version before. */
export const PREVIOUS = readFileSync('test/deployment/previous-version', 'utf8').trim();

function isHere(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Why the version before cannot be run here; `undefined` where it can. */
export const noPrevious = isHere(PREVIOUS)
  ? undefined
  : `this clone has no commit ${PREVIOUS.slice(0, 7)}: git fetch --unshallow`;

/** One version of Portico: its gateway, and its commands. */
export type Version = {
  readonly gateway: RunningGateway;
  /** Runs a command; what it printed. @throws Error where it does not end with 0 */
  readonly run: (...words: readonly string[]) => Promise<string>;
};

/** Writes the sources of a commit to a folder of their own. */
function checkOut(bench: FaultBench, commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-previous-'));
  bench.own({ close: () => rmSync(folder, { recursive: true }) });
  execFileSync('bash', ['-c', `git archive ${commit} src config package.json | tar -x -C ${folder}`]);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Changes a file of the configuration that both versions read. */
export type EditConfig = (path: string, from: string, to: string) => void;

/**
 * Starts the version before and this one, on one Redis and before the same sample services. `prepare` may edit their files
 * first; `edit` changes them later, and each version goes on with what it has read until it reloads.
 */
export async function startTwoVersions(
  bench: FaultBench,
  prepare: (edit: EditConfig) => void = () => undefined,
) {
  const redis = await bench.redis();
  const samples = bench.own(await startUpstreams());
  const previous = checkOut(bench, PREVIOUS);
  // The configuration of the version before: what it has written, this one must take.
  const file = join(previous, 'config/demo.yaml');
  editFile(file, '    roomy:', '    few: { windows: [30 per 60s] }\n    roomy:');
  editFile(file, 'redis: { url:', 'redis: { commandTimeout: 60s, connectTimeout: 60s, url:');
  const edit: EditConfig = (path, from, to) => void editFile(join(previous, path), from, to);
  prepare(edit);
  const env = {
    ...samples.env,
    REDIS_URL: redis.url,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    PORTICO_CONFIG: file,
  };

  async function start(folder: string): Promise<Version> {
    const main = join(folder, 'src/main.ts');
    const running = startProcess(NODE, [main, 'start'], env);
    bench.own({ close: () => running.kill() });
    const [line] = await running.prints(/^\{.*"msg":"listening"\}$/m);
    const ports = JSON.parse(line) as { port: number; adminPort: number };
    const gateway = gatewayAt(ports, () => running.kill());
    return {
      gateway,
      async run(...words) {
        const { code, out, err } = await runProcess(NODE, [main, ...words], env);
        if (code !== 0)
          throw new Error(`portico ${words.join(' ')} ended with ${String(code)}: ${err}${out}`);
        return out;
      },
    };
  }
  return { before: await start(previous), now: await start(resolve('.')), edit };
}
