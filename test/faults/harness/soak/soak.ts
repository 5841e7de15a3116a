import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultBench, OpenBench } from '../bench.ts';
import { checkGateway } from '../checks.ts';
import type { FaultGateway } from '../gateway.ts';
import type { Figure } from '../row.ts';
import { mixedLoad } from './callers.ts';
import { ofOthers, ofRedis, ofUpstreams } from './faults.ts';
import { openSoakSetup, type SoakSetup } from './place.ts';
import { type Trend, trendOf } from './trend.ts';
import { readVitals, type Vitals } from './vitals.ts';

export type SoakOptions = {
  readonly minutes: number;
  /** Told of every stretch. */
  readonly tell: (text: string) => void;
  /** A folder for a heap snapshot of the gateway from when it has settled, and one of the end. */
  readonly snapshots: string | undefined;
};

/** How long one stretch of mixed load with three faults is, before everything is looked at. */
const STRETCH_MS = 10_000;
/** Every fault has been met, and what is bounded is full. */
const SETTLED_AFTER = 10;
/** So many readings tell a trend, however long they take. */
const READINGS_MIN = 10;

/** By how much something may grow in ten minutes, where that it grows is certain. */
const GROWTH_MAX: Partial<Record<keyof Held, number>> = {
  data: 1,
  // Every path is compiled once more after it has been taken often enough, the rare ones late. There is an end to it.
  code: 3,
  external: 1,
  descriptors: 3,
  handles: 3,
  redisConnections: 3,
};

/** What one gateway holds after a stretch, and Redis for it. */
type Held = Vitals & { readonly redisConnections: number };

/** What is held by the end of a stretch; minutes since the start. */
type Reading = { readonly at: number; readonly held: Held };

/** One fault of each kind: the kinds are so many that all combinations come. */
async function harm(place: SoakSetup, bench: FaultBench, stretch: number): Promise<void> {
  const turns = [ofRedis, ofUpstreams, ofOthers].map((kind) =>
    kind[stretch % kind.length]!(place, bench, Math.floor(stretch / kind.length)),
  );
  await Promise.all([...turns, sleep(STRETCH_MS)]);
}

async function readHeld(bench: FaultBench, gateway: FaultGateway): Promise<Held> {
  const clients = await gateway.withStored(({ client }) => client.info('clients'));
  const redisConnections = Number(/^connected_clients:(\d+)/m.exec(clients)?.[1]);
  return { ...(await readVitals(bench, gateway)), redisConnections };
}

/** What was promised of a gateway in a stretch; its wrong answers. Throws where a promise is broken. */
async function checkStretch(bench: FaultBench, gateway: FaultGateway): Promise<number> {
  const { broken, wrong } = await checkGateway(bench as OpenBench, gateway);
  assert.deepEqual(broken, []);
  gateway.checked.mark();
  return wrong;
}

function lineOf({
  heap,
  code,
  external,
  resident,
  committed,
  descriptors,
  handles,
  redisConnections,
}: Held): string {
  const memory = `heap ${heap.toFixed(2)} (code ${code.toFixed(2)}), external ${external.toFixed(2)}`;
  const rest = `descriptors ${descriptors}, handles ${handles}, Redis connections ${redisConnections}`;
  return `${memory}, resident ${resident.toFixed(0)} MiB (heap ${committed.toFixed(0)}), ${rest}`;
}

/** Errors and rejections that nobody caught, over all that the gateways have said. */
function escaped(gateways: readonly FaultGateway[]): number {
  const said = gateways.map(({ process }) => process.out + process.err).join('');
  return [...said.matchAll(/unhandled\w*rejection|uncaught ?exception|"level":60\b/gi)].length;
}

/** The trend of ten minutes. */
function trend(readings: readonly Reading[], name: keyof Held): Trend {
  return trendOf(readings.map(({ at, held }) => ({ at: at / 10, value: held[name] })));
}

const trendText = ({ slope, low, high }: Trend) =>
  `${slope.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;

/** What grows more than it may. */
function growing(who: string, readings: readonly Reading[]): string[] {
  return Object.entries(GROWTH_MAX).flatMap(([name, most]) => {
    const found = trend(readings, name as keyof Held);
    const grows = found.low > most;
    return grows ? [`${who}: ${name} grows by ${trendText(found)} in ten minutes, at most ${most}`] : [];
  });
}

function figureOf(readings: readonly Reading[]): Figure {
  const first = readings[0]!.held;
  const last = readings.at(-1)!.held;
  return {
    'heap MiB': last.heap,
    'in ten minutes': trendText(trend(readings, 'heap')),
    'of it code': trendText(trend(readings, 'code')),
    'all else': trendText(trend(readings, 'data')),
    external: trendText(trend(readings, 'external')),
    descriptors: `${first.descriptors} first, ${last.descriptors} last`,
    handles: `${first.handles} first, ${last.handles} last`,
    'Redis connections': `${first.redisConnections} first, ${last.redisConnections} last`,
  };
}

/**
 * Mixed load with mixed faults for so long. Throws where anything is wrong, or something grows that should not; says
 * nothing of how long anything took.
 */
export async function soak(bench: FaultBench, { minutes, tell, snapshots }: SoakOptions): Promise<Figure> {
  const place = await openSoakSetup(bench, snapshots);
  const all = { gateway: place.gateway, fleet: place.fleet };
  const readings: Record<keyof typeof all, Reading[]> = { gateway: [], fleet: [] };
  const startedAt = performance.now();
  const minutesSince = () => (performance.now() - startedAt) / 60_000;
  let [asked, wrong, stretch] = [0, 0, 0];
  for (; minutesSince() < minutes || stretch < SETTLED_AFTER + READINGS_MIN; stretch += 1) {
    asked = await mixedLoad(place, asked, () => harm(place, bench, stretch));
    for (const name of ['gateway', 'fleet'] as const) {
      wrong += await checkStretch(bench, all[name]);
      const held = await readHeld(bench, all[name]);
      readings[name].push({ at: minutesSince(), held });
      tell(`${stretch + 1}: ${name}: asked ${asked}, ${lineOf(held)}`);
    }
    if (snapshots !== undefined && stretch === SETTLED_AFTER) place.gateway.process.signal('SIGIO');
  }
  if (snapshots !== undefined) {
    place.gateway.process.signal('SIGIO');
    await readVitals(bench, place.gateway);
  }
  const settledAt = Math.max(SETTLED_AFTER, Math.floor(stretch / 3));
  const [one, fleet] = [readings.gateway.slice(settledAt), readings.fleet.slice(settledAt)];
  const figure = { minutes, asked, wrong, 'escaped errors': escaped(Object.values(all)), ...figureOf(one) };
  tell(`fleet: ${JSON.stringify(figureOf(fleet))}`);
  const grown = [...growing('one process', one), ...growing('the primary', fleet)];
  assert.deepEqual(grown, [], `${grown.join('; ')}; ${JSON.stringify(figure)}`);
  return figure;
}
