import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** One answer of a gateway, as a caller met it. */
export type Answer = {
  readonly path: string;
  readonly method: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When it was asked for, by `performance.now()`. */
  readonly askedAt: number;
  readonly ms: number;
  /** Whether the caller had a right to what it asked for: anything but the truth or a clear error is then wrong. */
  readonly entitled: boolean;
};

/** How a request is made. */
export type AskOptions = {
  readonly method?: string;
  /** The credential, as a bearer token; `null`: none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where a good credential is rightly refused, as one that was revoked. */
  readonly entitled?: boolean;
};

/** What the callers of a load do. */
export type LoadOptions = {
  readonly callers?: number;
  /** How long each waits between an answer and the next question. */
  readonly pauseMs?: number;
  /** The path of question number `n`; a new one each time by default, so that no cache answers for Redis. */
  readonly path?: (n: number) => string;
  /** The credential of question number `n`. */
  readonly key?: (n: number) => string;
};

/** What the callers of a load met. */
export type Load = {
  readonly answers: readonly Answer[];
  /** How often each status was met. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The slowest of those asked for in a stretch of time. */
  slowestMs(from?: number, to?: number): number;
  /** The time within which a part of them came: 0.5 is the median. */
  quantileMs(part: number): number;
};

/** A caller of one gateway, who keeps every answer for the checks. */
export type Traffic = {
  /** All answers since the last time they were taken. */
  take(): readonly Answer[];
  /** Rejects where there is no answer: the connection was refused or reset. */
  readonly ask: (path: string, options?: AskOptions) => Promise<Answer>;
  /** Callers who ask until `work` has ended. A question without an answer ends the load with its error. */
  readonly load: (work: () => Promise<unknown>, options?: LoadOptions) => Promise<Load>;
  close(): void;
};

/** Lists of users: more than can be asked for in a minute, none like the other. */
function anyPath(n: number): string {
  return `/v1/users?limit=${1 + (n % 100)}&page=${1 + Math.floor(n / 100)}`;
}

function summarise(answers: readonly Answer[]): Load {
  const statuses: Record<number, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    answers,
    statuses,
    slowestMs: (from = -Infinity, to = Infinity) =>
      Math.max(0, ...answers.filter(({ askedAt }) => askedAt >= from && askedAt <= to).map(({ ms }) => ms)),
    quantileMs: (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0,
  };
}

/** Makes a caller. `isEntitled` says which credentials are good; `defaultKey` is used where none is named. */
export function createTraffic(
  url: string,
  defaultKey: () => string,
  isEntitled: (key: string) => boolean,
): Traffic {
  const agent = new Agent({ keepAlive: true });
  const { port } = new URL(url);
  let kept: Answer[] = [];
  let questions = 0;

  function ask(path: string, options: AskOptions = {}): Promise<Answer> {
    const { method = 'GET', key, headers = {} } = options;
    const credential = key === undefined ? defaultKey() : key;
    const askedAt = performance.now();
    const asked = {
      host: '127.0.0.1',
      port,
      path,
      method,
      agent,
      headers: { ...(credential !== null && { authorization: `Bearer ${credential}` }), ...headers },
    };
    return new Promise((resolve, reject) => {
      const sent = request(asked, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer: Answer = {
            ...{ path, method, askedAt, ms: performance.now() - askedAt },
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            body: Buffer.concat(chunks).toString(),
            entitled: options.entitled ?? (credential !== null && isEntitled(credential)),
          };
          kept.push(answer);
          resolve(answer);
        });
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  async function load(work: () => Promise<unknown>, options: LoadOptions = {}): Promise<Load> {
    const { callers = 8, pauseMs = 4, path = anyPath, key = defaultKey } = options;
    const answers: Answer[] = [];
    const state = { over: false };
    async function call(): Promise<void> {
      while (!state.over) {
        questions += 1;
        answers.push(await ask(path(questions), { key: key(questions) }));
        await sleep(pauseMs);
      }
    }
    const calls = Promise.all(Array.from({ length: callers }, call));
    try {
      await Promise.race([work(), calls]);
    } finally {
      state.over = true;
    }
    await calls;
    return summarise(answers);
  }

  return {
    take: () => {
      const taken = kept;
      kept = [];
      return taken;
    },
    ask,
    load,
    close: () => agent.destroy(),
  };
}
