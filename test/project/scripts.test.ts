import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { plainEnvironment } from '../support/process/dockerfile.ts';

const root = new URL('../../', import.meta.url).pathname;

type Demo = { npm: ChildProcess; text: () => string };

/** `npm run demo` in a process group of its own, as a terminal would start it; resolves once it is up. */
async function startDemo(): Promise<Demo> {
  const npm = spawn('npm', ['run', 'demo'], {
    cwd: root,
    detached: true,
    env: { ...plainEnvironment(), PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const up = new Promise<void>((resolve, reject) => {
    npm.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)));
    createInterface({ input: npm.stdout }).on('line', (line) => {
      lines.push(line);
      if (line.includes('Ctrl-C')) resolve();
    });
  });
  await up;
  return { npm, text: () => lines.join('\n') };
}

/** Whether any process of the group is left. */
function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

describe('npm run demo', () => {
  let demo: Demo;

  beforeEach(async () => {
    demo = await startDemo();
  });

  afterEach(() => {
    if (isAlive(demo.npm.pid!)) process.kill(-demo.npm.pid!, 'SIGKILL');
  });

  it('stops with 0 and leaves nothing behind when npm alone gets SIGTERM, as from a supervisor', async () => {
    demo.npm.kill('SIGTERM');
    expect(await once(demo.npm, 'close')).toEqual([0, null]);
    expect(demo.text()).toMatch(/Stopped\.$/);
    expect(isAlive(demo.npm.pid!)).toBe(false);
  });

  it('stops in order on Ctrl-C, which reaches it from the terminal and once more from npm', async () => {
    process.kill(-demo.npm.pid!, 'SIGINT');
    const [code] = (await once(demo.npm, 'close')) as [number | null];
    // npm itself may die of the signal, but not before the demo, and the demo does not fail.
    expect(code).not.toBe(1);
    expect(demo.text()).toMatch(/Stopped\.$/);
  });
});
