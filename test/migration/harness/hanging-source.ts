import assert from 'node:assert/strict';
import type { FaultBench } from '../../faults/harness/bench.ts';
import { offer } from '../../faults/harness/load/offer.ts';
import { type MigratingFleet, startMigratingFleet } from './migrating-fleet.ts';

/** What the file of a gateway says by default, written down because the row counts it. */
export const SHADOW = { maxRps: 20, concurrency: 8, timeout: '1s' };
/** How long the new source takes for a call that it answers: a caller that waits for it shows in the latencies. */
const NEW_MS = 250;

/** One process whose new source hangs on a share of the calls and is slow on the others, and nothing is cached. */
export async function startHanging(
  bench: FaultBench,
  share: number,
  env: Readonly<Record<string, string>> = {},
) {
  const cache = { fresh: '0s', notFound: '0s' };
  const fleet = await startMigratingFleet(bench, { gateways: 1, cache, env, migration: { shadow: SHADOW } });
  Object.assign(fleet.next.faults, { hanging: share, delayMs: NEW_MS });
  return fleet;
}

/** So many callers a second, for so many seconds, each with a question that no cache answers. */
export async function askMisses(fleet: MigratingFleet, perSecond: number, seconds: number) {
  const [gateway] = fleet.gateways;
  assert.ok(gateway);
  const head = `Host: x\r\nX-API-Key: ${gateway.configuredKey}`;
  const met = await offer({
    ports: [gateway.port],
    request: `GET /v1/users?limit=1&page={n} HTTP/1.1\r\n${head}\r\n\r\n`,
    ...{ perSecond, seconds, warmSeconds: 1 },
    ...{ connections: 256, obeys: false },
  });
  return { ...met, errors: met.refused + met.other + met.broken };
}
