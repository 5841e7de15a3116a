import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { env } from 'node:process';

/** Linux gives ports from 32768 on to programs that ask for any port, so no program gets one below by chance (ip(7)). */
const LEAST = 10_000;
/** Each worker of jest has ports of its own: what another has picked may not be listened on yet. */
const [SLICES, PORTS_PER_SLICE] = [8, 2_800];
const first = LEAST + (Number(env['JEST_WORKER_ID'] ?? 0) % SLICES) * PORTS_PER_SLICE;
let next = randomInt(PORTS_PER_SLICE);

/** Whether no address of this machine has a listener on a port. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** A port that nothing listens on, for a process that is told its port and cannot be asked for it. */
export async function freePort(): Promise<number> {
  for (;;) {
    next = (next + 1) % PORTS_PER_SLICE;
    const port = first + next;
    if (await isFree(port)) return port;
  }
}
