// A caller asks far above its limit: that is no incident, but page and terminal tell who it is and what to do.

import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import type { Met } from './harness/callers.ts';
import { type Night, spendNight } from './harness/night.ts';
import { isAt, isCount } from './harness/truth.ts';

/** The requests a second of a caller whose limit is five. */
const HAMMERING_RPS = 40;

type CallerList = {
  readonly callers: readonly { readonly id: string; readonly label?: string; readonly limited: number }[];
};
type RequestList = { readonly requests: readonly { readonly caller?: string; readonly status: number }[] };

/** The caller of some requests, if they have just one. */
function ofOne(requests: RequestList['requests']): string | undefined {
  const [caller, ...others] = new Set(requests.map((one) => one.caller));
  return others.length === 0 ? caller : undefined;
}

/** The share of a caller is known after some seconds; the others of a fleet say theirs within ten. */
const JUDGED = { earlyMs: 15_000, harmMs: 30_000 };

/** Whether a caller stands among what no incident explains: who, since when, how much, what comes next and what to do. */
function isToldOf({ also }: Night['early'], place: 'page' | 'json', id: string, since: number): boolean {
  const told = also[place].find(({ code }) => code === 'caller_refused');
  const { text = '', next = [], todo, view = '' } = told ?? {};
  return (
    text.includes(`scraper (${id})`) &&
    /\d+ %/.test(text) &&
    isAt(told?.since, since) &&
    next.length > 0 &&
    todo?.command === `portico keys update ${id} --tier <tier>` &&
    todo.line.includes(`portico keys revoke ${id}`) &&
    view.includes(id)
  );
}

/** Whether it is told as ended: how many requests were refused, and from when to when. */
function isEnded({ also }: Night['over'], place: 'page' | 'json', refused: readonly Met[]): boolean {
  const { text = '', next = [] } = also[place].find(({ code }) => code === 'caller_refused') ?? {};
  const [, limited, from, to] = /refused (\d+) of .* from (\S+) to (\S+) UTC/.exec(text) ?? [];
  const day = new Date(refused[0]?.endedAt ?? 0).toISOString().slice(0, 11);
  return (
    isCount(Number(limited), refused.length) &&
    isAt(`${day}${from ?? ''}Z`, refused[0]?.endedAt ?? NaN) &&
    isAt(`${day}${to ?? ''}Z`, refused.at(-1)?.endedAt ?? NaN) &&
    next.join().startsWith('it has ended')
  );
}

/**
 * One caller alone is no incident: the answers to fault and before stand nowhere, and a webhook answers nothing. The others
 * stand beside the incidents, and in the list of callers and that of requests.
 */
async function hammer(bench: FaultBench) {
  const { fleet, early, late, over, told } = await spendNight(
    bench,
    {
      begin: ({ callers }) => callers.hurry('scraper', HAMMERING_RPS),
      end: ({ callers }) => callers.hurry('scraper', 1),
    },
    JUDGED,
  );
  const refused = fleet.callers.log.filter(({ status }) => status === 429);
  const { callers } = (await fleet.ask('/api/callers')) as CallerList;
  const [worst] = [...callers].sort((a, b) => b.limited - a.limited);
  const of = callers.filter(({ limited }) => limited > 0).map(({ label }) => label);
  const { requests } = (await fleet.ask('/api/requests?status=429&limit=1000')) as RequestList;
  const terminal = JSON.parse(
    (await fleet.run('requests', '--status', '429', '--limit', '1000', '--json')).out,
  ) as RequestList;
  const incidents = [early, late, over].flatMap(({ page, json }) => [...page.incidents, ...json.incidents]);
  const [id, since] = [worst?.id ?? '', refused[0]?.endedAt ?? NaN];
  const isTold = {
    page: isToldOf(early, 'page', id, since),
    over: isEnded(over, 'page', refused) && isEnded(over, 'json', refused),
    terminal:
      isToldOf(early, 'json', id, since) && /to do +Tell who sends them to wait/.test(early.also.text),
  };
  return promised(
    incidents.length === 0 &&
      told.length === 0 &&
      of.join() === 'scraper' &&
      isCount(worst?.limited, refused.length) &&
      ofOne(requests) === ofOne(terminal.requests) &&
      ofOne(requests) === worst?.id &&
      isTold.page &&
      isTold.terminal &&
      isTold.over,
    {
      ...{ 'refused requests': refused.length, 'as page says': worst?.limited ?? 0, 'of callers': of.join() },
      ...{ 'requests listed': requests.length, 'in terminal': terminal.requests.length },
      ...{ incidents: incidents.length, webhooks: told.length },
      ...{ 'told on page': String(isTold.page), 'told in terminal': String(isTold.terminal) },
      ...{ 'told as ended': String(isTold.over), 'of it': over.also.json.map(({ text }) => text).join() },
    },
  );
}

/** The row of a caller that hammers. */
export const hammering: BenchRow = {
  id: 'incidents-caller',
  name: 'a caller hammers: that is no incident, and page and terminal say who it is, since when, how many requests are refused, and what to do',
  run: hammer,
};
