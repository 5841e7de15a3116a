import { join } from 'node:path';
import { runScript } from './processes.ts';

/** A server under load. */
export type Target = {
  readonly name: string;
  readonly url: string;
  readonly key: string;
  /** Whether every request asks for a page of its own, so that no cache can have it. */
  readonly distinct: boolean;
};

/** What one round of load came to. */
export type Round = {
  /** Answers of status 2xx per second. */
  readonly rate: number;
  /** How many of these there were. */
  readonly answers: number;
  /** Other answers, errors and timeouts. */
  readonly failed: number;
  /** Milliseconds. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly lastPage: number;
};

export type Load = { readonly seconds: number; readonly connections: number; readonly rate?: number };

const LOAD = join(import.meta.dirname, 'rivals/load.js');

/** Pages that were asked for, over all targets: none is asked for twice. */
let lastPage = 1;

/** On a machine that others use, a server may refuse a few for its delays. More would make the rate say something else. */
export const FAILED_SHARE_MAX = 0.001;

/** Sends one round of load to a server, whatever it answers. */
export async function sendUnchecked({ url, key, distinct }: Target, load: Load): Promise<Round> {
  const options = { url, key, ...load, ...(distinct ? { distinctFrom: lastPage } : {}) };
  const round = JSON.parse(await runScript(LOAD, [JSON.stringify(options)], 'load')) as Round;
  // Several may be asked at the same time.
  if (distinct) lastPage = Math.max(lastPage, round.lastPage);
  return round;
}

/** Sends one round of load to a server. @throws Error where more than a few answers were not 2xx */
export async function sendLoad(
  target: Target,
  load: Load,
  failedShareMax = FAILED_SHARE_MAX,
): Promise<Round> {
  const round = await sendUnchecked(target, load);
  if (round.failed > round.answers * failedShareMax)
    throw new Error(
      `${target.name}: ${String(round.failed)} of ${String(round.answers + round.failed)} requests failed`,
    );
  return round;
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}
