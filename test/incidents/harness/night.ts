import { setTimeout as sleep } from 'node:timers/promises';
import type { IncidentList, IncidentView } from '../../../src/admin/api/incident-specs.ts';
import type { FaultBench } from '../../faults/harness/bench.ts';
import { eventually } from '../../support/time/eventually.ts';
import { type Fleet, sleepUntil, startFleet, type Told } from './fleet.ts';

/** A look at a fleet, on the page and in a terminal. */
export type Look = {
  readonly at: number;
  readonly page: IncidentList;
  /** What `portico status --json` says, its exit code, and what it says to people: of each incident, by its id. */
  readonly json: IncidentList;
  readonly code: number;
  readonly text: ReadonlyMap<string, string>;
  /** What no incident explains: on the page, as JSON of the terminal, and in its text. */
  readonly also: { readonly page: Also; readonly json: Also; readonly text: string };
};

type Also = IncidentList['others'];

/** What an injector did, by its own clock. */
export type Harm = {
  readonly begin: (fleet: Fleet) => unknown;
  readonly end: (fleet: Fleet) => unknown;
};

/** What was done to a fleet, and what it said. */
export type Night = {
  readonly fleet: Fleet;
  /** When the harm began and ended. */
  readonly from: number;
  readonly until: number;
  /** From when to when an operator had each replica reloaded, some seconds before. */
  readonly reloads: readonly (readonly [from: number, to: number])[];
  /** While it is well; while the harm lasts, usually 10 s after it began; once its effects are over; and once it was quiet for a minute. */
  readonly well: Look;
  readonly early: Look;
  readonly late: Look;
  readonly over: Look;
  /** The incidents that receivers of webhooks were told of. */
  readonly told: readonly Told[];
};

const WARM_MS = 10_000;
const CHANGE_MS = 3_000;
const EARLY_MS = 10_000;
const HARM_MS = 25_000;
/** A breaker is closed again, and each process has said what it saw. */
const SETTLED_MS = 12_000;
/** A minute of quiet since the last failure, and the turn of the fleet. */
const QUIET_MS = 66_000;
const LATER = { withinMs: 30_000, everyMs: 1_000 };

/** Looks at a fleet: the page of one replica, the terminal at the other. */
async function look(fleet: Fleet): Promise<Look> {
  const at = Date.now();
  const page = await fleet.incidents(1);
  const { code, out } = await fleet.run('status', '--json');
  const json = JSON.parse(out) as IncidentList;
  const also = { page: page.others, json: json.others, text: (await fleet.run('status')).out };
  const text = new Map<string, string>();
  for (const { id } of json.incidents) text.set(id, (await fleet.run('status', '--id', id)).out);
  return { at, page, json, code, text, also };
}

/** What page and terminal list, whether open or ended. */
export async function listed(fleet: Fleet) {
  const { page, json } = await look(fleet);
  return { page: page.incidents, terminal: json.incidents };
}

/** The open incidents of a look. */
export const openIn = ({ incidents }: IncidentList): readonly IncidentView[] =>
  incidents.filter(({ state }) => state === 'open');

/** Has a fleet harmed for 25 s, and looks at it until that is over. */
export async function spendNight(
  bench: FaultBench,
  { begin, end }: Harm,
  { harmMs = HARM_MS, earlyMs = EARLY_MS, hosts = 1 } = {},
): Promise<Night> {
  const fleet = await startFleet(bench, hosts);
  await sleep(WARM_MS);
  const well = await look(fleet);
  const reloads = [await fleet.reload(0, '7 per 1s'), await fleet.reload(1, '7 per 1s')];
  await sleep(CHANGE_MS);
  const from = Date.now();
  await begin(fleet);
  await sleepUntil(from + earlyMs);
  const early = await look(fleet);
  await sleepUntil(from + harmMs);
  const until = Date.now();
  await end(fleet);
  await sleep(SETTLED_MS);
  const late = await look(fleet);
  const last = Math.max(0, ...late.page.incidents.map((one) => Date.parse(one.last)));
  await sleepUntil(Math.max(until, Math.min(last, Date.now())) + QUIET_MS);
  // A field counts as back once enough records have it again.
  await eventually(async () => openIn(await fleet.incidents()).length === 0, LATER).catch(() => undefined);
  const over = await look(fleet);
  fleet.callers.stop();
  return { ...{ fleet, from, until, reloads, well, early, late, over }, told: fleet.told };
}
