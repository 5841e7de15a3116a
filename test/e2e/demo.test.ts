import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { promisify } from 'node:util';
import { type Demo, runPortico, startDemo } from '../support/gateway/gateway-process.ts';
import { startProcess } from '../support/process/running-process.ts';
import { endAfterTest } from '../support/jest/lifetime.ts';

const run = promisify(execFile);

async function demo(env: Record<string, string>): Promise<Demo> {
  const started = await startDemo(env, ['npm', 'run', 'demo']);
  endAfterTest(started.process);
  return started;
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Runs the printed commands in a shell, as a reader would paste them. */
async function paste({ process }: Demo): Promise<string[]> {
  const lines = process.out.split('\n').flatMap((line) => /^ *(curl .*)$/.exec(line)?.[1] ?? []);
  const answers: string[] = [];
  for (const line of lines) answers.push((await run('bash', ['-c', `${line} --silent --fail`])).stdout);
  return answers;
}

function expectAnswers(answers: readonly string[]): void {
  expect(answers).toHaveLength(3);
  const [users, products, orders] = answers.map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(users).toMatchObject({ meta: { total: 5_000, page: 1, limit: 3 } });
  expect(users?.['data']).toHaveLength(3);
  expect(products?.['data']).toHaveLength(3);
  for (const product of products?.['data'] as { category: string; price: number }[]) {
    expect(product.category).toBe('Toys');
    expect(product.price).toBeLessThanOrEqual(20);
  }
  expect(orders).toMatchObject({ ANZAHL: 40 });
}

describe('npm run demo', () => {
  it('takes any key, prints three commands that work as printed, and ends on SIGTERM to npm', async () => {
    const key = `plain'key"with$dollars&and;more\\`;
    const started = await demo({ PORTICO_DEMO_KEY: key });
    expect(started.key).toBe(key);
    expectAnswers(await paste(started));
    expect(started.process.out).toMatch(/^ +Console for operators: http:\/\/127\.0\.0\.1:\d+\/console\/ /m);

    started.process.signal('SIGTERM');
    expect(await started.process.ended).toEqual({ code: 0, signal: null });
    expect(started.process.out).toMatch(/Stopped\.\n$/);
    expect(started.process.isGroupAlive()).toBe(false);
    expect(await isOpen(started.port)).toBe(false);
  });

  it('makes a key of its own where none is given, and ends on Ctrl-C', async () => {
    const started = await demo({});
    expect(started.key).toMatch(/^ptk_[a-z0-9]+_[A-Za-z0-9]+$/);
    expectAnswers(await paste(started));

    // From a terminal, it reaches npm and the demo; and the demo once more from npm.
    started.process.signalGroup('SIGINT');
    expect(await started.process.ended).toEqual({ code: 0, signal: null });
    expect(started.process.out).toMatch(/Stopped\.\n$/);
    expect(started.process.isGroupAlive()).toBe(false);
    expect(await isOpen(started.port)).toBe(false);
  });

  it('says in one line that its port is taken, and leaves nothing behind', async () => {
    const occupant = endAfterTest(createServer().listen(0, '127.0.0.1'));
    await once(occupant, 'listening');
    const port = String((occupant.address() as AddressInfo).port);
    const running = endAfterTest(startProcess('npm', ['run', 'demo'], { PORT: port }));
    expect(await running.ended).toEqual({ code: 1, signal: null });
    // npm tells on the same stream that its script has failed.
    const own = running.err.split('\n').filter((line) => line !== '' && !line.startsWith('npm '));
    expect(own).toEqual([`portico: cannot listen on port ${port} (EADDRINUSE)`]);
    expect(running.isGroupAlive()).toBe(false);
  });

  it('refuses a key that cannot stand in a header', async () => {
    const { code, err, out } = await runPortico(['demo'], { PORT: '0', PORTICO_DEMO_KEY: 'two words' });
    expect([code, out]).toEqual([78, '']);
    expect(err).toMatch(/^portico: PORTICO_DEMO_KEY .*\n$/);
    expect(err).not.toContain('two words');
  });
});
