import type { FaultBench } from '../bench.ts';
import type { FaultGateway } from '../gateway.ts';
import type { Figure } from '../row.ts';
import type { Load } from '../load/traffic.ts';

/** What callers met while Redis was harmed. */
type Harm = {
  /** What the harm added to the slowest answer: it, less the median of the quiet time before. */
  readonly addedMs: number;
  /** From its end until Redis decides about a limit again; 0 where it lasts. */
  readonly recoveryMs: number;
  readonly load: Load;
};

type HarmPlan = {
  /** Begins the harm. */
  readonly harm: () => unknown;
  /** Ends it: when it resolves, Redis can be used again. Absent: it lasts. */
  readonly heal?: () => unknown;
  /** How long it lasts. */
  readonly holdMs: number;
  /** The credentials that ask in turn; the stored ones by default. */
  readonly keys?: readonly string[];
};

const QUIET_MS = 400;

/** Limits that Redis, and not the process alone, has decided so far. */
export function decidedByRedis(gateway: FaultGateway): Promise<number> {
  return gateway.counted('portico_limiter_decisions_total', 'by="redis"');
}

/** Waits until Redis decides about a limit again. */
export async function untilUsed(bench: FaultBench, gateway: FaultGateway): Promise<number> {
  const before = await decidedByRedis(gateway);
  return bench.until(async () => (await decidedByRedis(gateway)) > before, 15_000, 20);
}

/** Harms Redis while many callers ask for what no cache holds, heals it, and waits until it is used again. */
async function harmUnderLoad(bench: FaultBench, gateway: FaultGateway, plan: HarmPlan): Promise<Harm> {
  const keys = plan.keys ?? gateway.storedKeys;
  const key = (n: number) => keys[n % keys.length] ?? gateway.configuredKey;
  // Every key is known, as it is in a gateway that has run for a while.
  await Promise.all(keys.map((one) => gateway.ask('/v1/users/user_3', { key: one })));
  let [harmedAt, recoveryMs] = [0, 0];
  const load = await gateway.load(
    async () => {
      await bench.sleep(QUIET_MS);
      harmedAt = performance.now();
      await plan.harm();
      await bench.sleep(plan.holdMs);
      if (plan.heal === undefined) return;
      await plan.heal();
      recoveryMs = await untilUsed(bench, gateway);
    },
    { key, callers: 6, pauseMs: 8 },
  );
  const addedMs = load.slowestMs(harmedAt - 50) - load.quantileMs(0.5);
  return { addedMs, recoveryMs, load };
}

/** How often each status was met, as text: `200×412 503×3`. */
function statusText({ statuses }: Load): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status}×${count}`)
    .join(' ');
}

/** The bounds: what a Redis that is lost may add to any request, and until when it is used again. */
const ADDED_MS_MAX = 110;
const RECOVERY_MS_MAX = 1_000;

/** The figure of a harm that ended, held to the bounds. */
export async function measureHarm(bench: FaultBench, gateway: FaultGateway, plan: HarmPlan): Promise<Figure> {
  const { addedMs, recoveryMs, load } = await harmUnderLoad(bench, gateway, plan);
  return { ...boundedFigure(bench, addedMs, recoveryMs), answers: statusText(load) };
}

/** Holds a measured harm to the bounds. */
export function boundedFigure(bench: FaultBench, addedMs: number, recoveryMs?: number): Figure {
  bench.atMost('added ms', addedMs, ADDED_MS_MAX);
  if (recoveryMs === undefined) return { 'added ms': addedMs };
  bench.atMost('recovery ms', recoveryMs, RECOVERY_MS_MAX);
  return { 'added ms': addedMs, 'recovery ms': recoveryMs };
}
