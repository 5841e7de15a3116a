import { eventually } from '../time/eventually.ts';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';

/** Clients that ask without a pause, each over a kept-alive connection of its own. */
export type Load = {
  readonly answered: number;
  /** What went wrong: a status other than 200, or the code of a broken connection. */
  readonly failures: readonly string[];
  /** Waits until so many more were answered. */
  more(count: number): Promise<void>;
  /** Ends the clients, each after its answer. */
  stop(): Promise<void>;
};

/** How a client takes it that its connection is to be closed. */
export type Manner = {
  /** It goes away: others serve elsewhere. Without this, it connects anew. */
  readonly untilClosed?: boolean;
  /** It connects anew also after a failure. */
  readonly undaunted?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Has so many clients ask for a URL. */
export function startLoad(url: string, clients: number, manner: Manner = {}): Load {
  const failures: string[] = [];
  let answered = 0;
  let stopped = false;

  async function ask(agent: Agent): Promise<IncomingMessage> {
    const request = get(url, { agent, headers: manner.headers ?? {} });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response;
  }

  async function client(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stopped) {
      try {
        const response = await ask(agent);
        if (response.statusCode === 200) answered += 1;
        else failures.push(String(response.statusCode));
        if (manner.untilClosed && response.headers.connection === 'close') break;
      } catch (error) {
        failures.push((error as NodeJS.ErrnoException).code ?? String(error));
        if (!manner.undaunted) break;
      }
    }
    agent.destroy();
  }

  const running = Array.from({ length: clients }, client);
  return {
    get answered() {
      return answered;
    },
    failures,
    async more(count) {
      const wanted = answered + count;
      const isOver = () => !manner.undaunted && failures.length > 0;
      await eventually(() => answered >= wanted || isOver(), { withinMs: 60_000 });
    },
    async stop() {
      if (!manner.untilClosed) stopped = true;
      await Promise.all(running);
    },
  };
}
