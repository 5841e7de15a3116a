import { join } from 'node:path';
import { NODE } from '../../support/process-gateway.ts';
import { startProcess } from '../../support/process.ts';
import { comeFirst } from './priority.ts';

/** What callers who know nothing of each other ask together. */
export type OpenLoop = {
  readonly port: number;
  /** The bytes of a request without a body; `{n}` is a number from 1 to 100. */
  readonly request: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** How long they ask before it counts. */
  readonly warmSeconds: number;
  /** Kept-alive connections, one question at a time on each; a question that finds none free is not sent. */
  readonly connections: number;
  /** Whether whoever is refused comes back only when told to. */
  readonly obeys: boolean;
};

/** What they met. `p99Ms` and `medianMs` are of the answers of 200. */
export type OpenLoopFigure = {
  readonly offered: number;
  readonly sent: number;
  readonly good: number;
  /** Answers of 503. */
  readonly refused: number;
  /** Answers of any other status. */
  readonly other: number;
  /** Connections that were ended by the gateway. */
  readonly broken: number;
  readonly goodPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
};

const SCRIPT = join(import.meta.dirname, 'open-loop.ts');

/** Has them ask. */
export async function offer(plan: OpenLoop): Promise<OpenLoopFigure> {
  const running = startProcess(NODE, [SCRIPT, JSON.stringify(plan)]);
  comeFirst(running.pid);
  const { code } = await running.ended;
  if (code !== 0) throw new Error(`the load ended with ${String(code)}: ${running.err}`);
  return JSON.parse(running.out) as OpenLoopFigure;
}
