import { Agent, get } from 'node:http';

/** Who asks, how often a second, and for what. */
export type Caller = {
  readonly name: string;
  readonly rps: number;
  readonly credential: () => Promise<string>;
  /** The path of its question number `n`, and the operation that answers it. */
  readonly ask: (n: number) => readonly [operation: string, path: string];
};

/** An answer, as a caller met it; status 0: there was none. */
export type Met = {
  readonly at: number;
  readonly endedAt: number;
  readonly caller: string;
  readonly operation: string;
  readonly status: number;
  /** Whether it was an older answer that stood for one that failed. */
  readonly isStale: boolean;
  /** Whether a record in it has null for the field that a fault renames. */
  readonly isLacking: boolean;
};

/** Callers who ask all the time, and their log. */
export type Callers = {
  readonly log: readonly Met[];
  /** Lets a caller ask so often from now on. */
  hurry(name: string, rps: number): void;
  /** Asks this gateway no longer. */
  leave(url: string): void;
  stop(): void;
};

const TIMEOUT_MS = 20_000;

/** Starts callers who ask the gateways in turn. */
export function startCallers(urls: readonly string[], callers: readonly Caller[]): Callers {
  const agent = new Agent({ keepAlive: true });
  const log: Met[] = [];
  let targets = [...urls];
  let turn = 0;

  async function ask({ name, credential, ask: next }: Caller, n: number): Promise<void> {
    const [operation, path] = next(n);
    const headers = { authorization: `Bearer ${await credential()}` };
    const at = Date.now();
    turn += 1;
    const target = targets[turn % targets.length] ?? '';
    const end = (status: number, isStale = false, isLacking = false) =>
      void log.push({ at, endedAt: Date.now(), caller: name, operation, status, isStale, isLacking });
    const request = get(target + path, { agent, headers, timeout: TIMEOUT_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => {
        const isStale = String(response.headers['cache-status']).includes('fwd=stale');
        end(response.statusCode ?? 0, isStale, body.includes('"email":null'));
      });
    });
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', () => end(0));
  }

  function start(caller: Caller, rps: number): NodeJS.Timeout {
    let n = 0;
    return setInterval(() => void ask(caller, (n += 1)), 1_000 / rps);
  }
  const timers = new Map(callers.map((caller) => [caller.name, start(caller, caller.rps)]));

  return {
    log,
    hurry(name, rps) {
      const caller = callers.find((one) => one.name === name);
      clearInterval(timers.get(name));
      if (caller !== undefined) timers.set(name, start(caller, rps));
    },
    leave: (url) => void (targets = targets.filter((one) => one !== url)),
    stop() {
      for (const timer of timers.values()) clearInterval(timer);
      agent.destroy();
    },
  };
}
