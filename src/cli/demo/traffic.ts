// Sends sample traffic for `portico demo`, so that its console has something to show.

import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from './data/random.ts';
import type { RunningSamples, SampleName } from './serve.ts';
import type { Trouble } from './legacy-service.ts';

/** Where sample traffic goes, with which keys, and for how long. */
export type TrafficOptions = {
  /** The address of the gateway. */
  readonly base: string;
  /** A key that may read everything, and one that may not read products. */
  readonly key: string;
  readonly limitedKey: string;
  readonly samples: Pick<RunningSamples, 'disturb'>;
  readonly signal: AbortSignal;
  /** 60 by default. */
  readonly seconds?: number;
  readonly requestsPerSecond?: number;
};

type SampleRequest = { readonly path: string; readonly key?: string };

/** At most this many requests wait for an answer at a time; further ones are not sent. */
const IN_FLIGHT_MAX = 40;

/** What goes wrong from which part (0 to 1) of the time on. The catalogue becomes slow, then fails; later the CRM is late. */
const TROUBLES: readonly (readonly [from: number, sample: SampleName, trouble: Trouble])[] = [
  [0.3, 'catalog', { delayMs: 400, failEvery: 0 }],
  [0.4, 'catalog', { delayMs: 150, failEvery: 3 }],
  [0.55, 'catalog', { delayMs: 0, failEvery: 0 }],
  [0.7, 'users', { delayMs: 900, failEvery: 0 }],
  [0.8, 'users', { delayMs: 0, failEvery: 0 }],
];

const CATEGORIES = ['Toys', 'Books', 'Garden', 'Kitchen'];

/** One request as callers make them: most are good, a few are not. */
function nextRequest(random: Random, { key, limitedKey }: TrafficOptions): SampleRequest {
  const kind = random.fraction();
  const page = 1 + random.below(8);
  if (kind < 0.3) return { path: `/v1/users?limit=20&page=${page}`, key };
  if (kind < 0.5) return { path: `/v1/users/user_${1 + random.below(400)}`, key };
  if (kind < 0.55) return { path: `/v1/users?sort=-created_at&page=${page}`, key };
  if (kind < 0.8) return { path: `/v1/products?category=${random.pick(CATEGORIES)}&page=${page}`, key };
  if (kind < 0.9) return { path: '/legacy/orders', key };
  if (kind < 0.93) return { path: '/v1/products?limit=5', key: limitedKey };
  if (kind < 0.95) return { path: '/v1/users?page=none', key };
  if (kind < 0.97) return { path: '/v1/users/user_999999', key: limitedKey };
  return kind < 0.985 ? { path: '/v1/users', key: 'a-key-of-nobody' } : { path: '/v1/orders', key };
}

/**
 * Sends sample traffic to a gateway, so that its console has something to show, and has the sample services fail now and
 * then. Resolves once the time is over or the signal has aborted; the services are well again then.
 */
export async function sendTraffic(options: TrafficOptions): Promise<void> {
  const { base, samples, signal, seconds = 60, requestsPerSecond = 15 } = options;
  const random = createRandom(1);
  const troubles = [...TROUBLES];
  const total = seconds * requestsPerSecond;
  let inFlight = 0;

  async function send({ path, key = '' }: SampleRequest): Promise<void> {
    inFlight += 1;
    // A gateway that is closing answers nobody, and nobody waits for these answers.
    const answer = await fetch(base + path, { headers: { 'X-API-Key': key }, signal }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    inFlight -= 1;
  }

  for (let sent = 0; sent < total && !signal.aborted; sent += 1) {
    for (let [next] = troubles; next !== undefined && next[0] * total <= sent; [next] = troubles) {
      samples.disturb(next[1], next[2]);
      troubles.shift();
    }
    if (inFlight < IN_FLIGHT_MAX) void send(nextRequest(random, options));
    await pause(1_000 / requestsPerSecond, undefined, { signal }).catch(() => undefined);
  }
  for (const [, sample] of TROUBLES) samples.disturb(sample, { delayMs: 0, failEvery: 0 });
}
