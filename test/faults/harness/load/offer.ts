import { join } from 'node:path';
import { NODE } from '../../../support/gateway/gateway-process.ts';
import { startProcess } from '../../../support/process/running-process.ts';
import { pin } from './cores.ts';
import { comeFirst } from './priority.ts';

/** What callers who know nothing of each other ask together. */
export type OpenLoop = {
  /** On loopback; the connections are spread over them in turn. */
  readonly ports: readonly number[];
  /** The bytes of a request without a body; `{n}` is a number from 1 to 100, `{new}` one that was never asked for. */
  readonly request: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** How long they ask before it counts. */
  readonly warmSeconds: number;
  /**
   * Kept-alive connections, one question at a time on each, as a balancer keeps them. A question that finds none free
   * would wait at the caller's: it is late, and not sent.
   */
  readonly connections: number;
  /** Whether a refused caller comes back only when `Retry-After` says so. */
  readonly obeys: boolean;
};

/**
 * What they met. `p99Ms` and `medianMs` are of the answers of 200, from the moment in which a question is given to its
 * connection: what a caller sees, with the time in which the gateway did not read it yet.
 */
export type OpenLoopFigure = {
  readonly offered: number;
  readonly sent: number;
  /** Questions that found no connection free. */
  readonly late: number;
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
  /** How busy the asking process itself was, in percent: near 100 it is what was measured. */
  readonly busyPercent: number;
};

const SCRIPT = join(import.meta.dirname, 'open-loop.ts');

/** Has them ask. */
export async function offer(plan: OpenLoop): Promise<OpenLoopFigure> {
  const running = startProcess(NODE, [SCRIPT, JSON.stringify(plan)]);
  comeFirst(running.pid);
  pin(running.pid, 'load');
  const { code } = await running.ended;
  if (code !== 0) throw new Error(`the load ended with ${String(code)}: ${running.err}`);
  return JSON.parse(running.out) as OpenLoopFigure;
}
