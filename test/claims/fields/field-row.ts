import type { LocalGateway } from '../../support/gateway/running-gateway.ts';
import { startGateway } from '../../support/gateway/start-gateway.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { eventually } from '../../support/time/eventually.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import type { TableRow } from '../harness/row.ts';
import { answerOf, type FieldDialect, sourceOf, type StoredUser, storedUser } from './field-service.ts';

/** A service one of whose fields changes, or does not, and the alarms that a gateway must raise. */
export type FieldStory = {
  readonly name: string;
  readonly dialect?: FieldDialect;
  readonly rows?: number;
  /** The record as the service sends it `minute` minutes after the change; before it, `minute` is negative. */
  readonly sends: (row: StoredUser, minute: number, random: () => number) => StoredUser | undefined;
  /** More records that the service has after so many minutes. */
  readonly grown?: (minute: number) => number;
  /** What callers ask for in each half minute. */
  readonly asks?: (minute: number) => readonly string[];
  /** For how many minutes the service is asked, from the change on, before and after. */
  readonly minutes?: readonly [before: number, after: number];
  /** The alarms within a minute, such as `email gone`; none for a correct service. */
  readonly alarms: readonly string[];
};

const pages = (numbers: readonly number[]) => numbers.map((page) => `/v1/users?limit=50&page=${page}`);
/** What callers of most services ask for. */
export const firstPages = () => pages([1, 2]);
export { pages };

const HALF_MINUTE_MS = 30_000;
/** The alarms that the gateway's metrics show. */
async function alarmsOf(gateway: LocalGateway): Promise<readonly string[]> {
  const text = await gateway.metrics();
  const found = [...text.matchAll(/^portico_source_field_alarm\{.*?field="(.*?)",kind="(.*?)".*\} 1$/gm)];
  return found.map(([, field, kind]) => `${field} ${kind}`).sort();
}

/** Asks, and waits until the calls that no answer needed have ended. */
async function askAll(gateway: LocalGateway, paths: readonly string[], calls: () => number): Promise<void> {
  for (const path of paths) {
    const { status } = await fetch(gateway.url + path).then(async (answer) => {
      await answer.arrayBuffer();
      return answer;
    });
    if (status !== 200 && status !== 404) throw new Error(`${status} for ${path}`);
  }
  let before = -1;
  await eventually(() => {
    const now = calls();
    const isQuiet = now === before;
    before = now;
    return isQuiet;
  });
}

/** Numbers that look random, from 0 to 1. */
function drawer(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

type Told = { readonly failures: string[]; asked: number; raised: readonly string[] };

async function play(story: FieldStory, seed: number): Promise<Told> {
  const { dialect = 'json', rows = 320, asks = firstPages, minutes = [6, 6] } = story;
  const random = drawer(seed);
  const clock = createManualClock();
  let minute = -minutes[0];
  const stored = () =>
    Array.from({ length: rows + (story.grown?.(minute) ?? 0) }, (_, n) => storedUser(n + 1));
  const current = () => stored().flatMap((row) => story.sends(row, minute, random) ?? []);
  const upstream = await startUpstream(serving((request) => answerOf(dialect, current(), request)));
  const gateway = await startGateway({
    sources: { 'people.yaml': sourceOf(dialect, upstream.origin) },
    clock,
    level: 'error',
  }).catch(async (error: unknown) => {
    await upstream.close();
    throw error;
  });
  const told: Told = { failures: [], asked: 0, raised: [] };
  const expect = (when: string, found: readonly string[], wanted: readonly string[]) => {
    if (String(found) !== String(wanted))
      told.failures.push(`${when}: alarms [${found.join(', ')}], expected [${wanted.join(', ')}]`);
  };
  async function run(until: number, each: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    for (; minute < until; minute += 0.5) {
      const paths = asks(minute);
      told.asked += paths.length;
      await askAll(gateway, paths, () => upstream.calls);
      await each();
      clock.advance(HALF_MINUTE_MS);
    }
  }
  try {
    await run(0, async () => expect(`minute ${minute}`, await alarmsOf(gateway), []));
    await run(1.5);
    told.raised = await alarmsOf(gateway);
    expect('within a minute', told.raised, story.alarms);
    await run(minutes[1], async () => expect(`minute ${minute}`, await alarmsOf(gateway), story.alarms));
    if (story.alarms.length > 0) {
      minute = -2;
      await run(-0.5);
      expect('a minute after the values have come back', await alarmsOf(gateway), []);
    }
    const overview = (await (await fetch(`${gateway.adminUrl}/api/overview`)).text()).includes('field_lost');
    if (overview) told.failures.push('the overview shows an alarm that has ended');
    const lines = gateway.log.filter((line) => line.includes('suddenly have no')).length;
    if (lines < story.alarms.length) told.failures.push('no line in the log');
  } finally {
    await gateway.close();
    await upstream.close();
  }
  return told;
}

/** The row of the table for such a service. */
export function fieldRow(story: FieldStory): TableRow {
  return {
    name: story.name,
    async run({ seed }) {
      const started = performance.now();
      const { failures, asked, raised } = await play(story, seed);
      const figures = { asked, wrong: 0, isFlagged: false, isContradicted: raised.length > 0 };
      const head = `alarms: ${raised.join(', ') || 'none'}`;
      const seconds = (performance.now() - started) / 1_000;
      return { name: story.name, head, failures, details: [], figures, seconds };
    },
  };
}
