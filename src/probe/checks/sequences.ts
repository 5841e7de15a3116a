import { compilePath } from '../../adapter/path.ts';
import { type ProbeSession, describeExchange } from '../resource/probe-session.ts';
import { claimAt, counted, type Finding, type Probe } from '../resource/finding.ts';
import type { ProbeWalk } from '../resource/probe-walk.ts';
import { type Baseline, idsOf, listPlace, unfilteredList, sameIds } from '../resource/baseline.ts';

/** Whether the name of the second window gives the same rows each time. */
async function probeTwice(session: ProbeSession, { first, change }: Baseline): Promise<Finding> {
  const { window } = session.list;
  const conclude = claimAt(
    'cursor twice',
    'the name of a window may be used more than once',
    listPlace(session, 'window'),
  );
  const reader = unfilteredList(session, change);
  const { next, received } = first.value;
  if (reader.window.kind !== 'sequential' || next === undefined)
    return conclude('could not tell', 'all rows stand in the first window');
  const call = reader.window.after(reader.window.first, next, received);
  const once = await reader.ask(call);
  const twice = await reader.ask(call);
  if (twice.value === undefined)
    return conclude('differs', `the second time: ${describeExchange(twice)}`, { calls: [twice.request] });
  return sameIds(idsOf(once), idsOf(twice))
    ? conclude('agrees', 'the same rows both times')
    : conclude('differs', `other rows the second time (window: ${window.kind})`, { calls: [twice.request] });
}

/** How the walk from window to window ended. */
function judgeWalk(session: ProbeSession, sample: ProbeWalk): Finding {
  const conclude = claimAt(
    'last window',
    'each window names the next, and the last names none',
    listPlace(session, 'window'),
  );
  const calls = sample.refusal === undefined ? [] : [sample.refusal.request];
  const windows = counted(sample.steps.length, 'window');
  if (sample.complete) return conclude('agrees', `the walk ends after ${windows}`);
  if (sample.end === 'repeats')
    return conclude('differs', `after ${windows}, rows come that came before`, {
      hint: 'where the name of the next window stands, and how it is sent',
    });
  if (sample.refusal !== undefined)
    return conclude('differs', `after ${windows}: ${describeExchange(sample.refusal)}`, { calls });
  return conclude('could not tell', 'the end was not reached within the bounds');
}

/** The address of the next window, as the source writes it. */
function writtenAddress(session: ProbeSession, { first }: Baseline): string | undefined {
  const { window } = session.list;
  if (window.kind !== 'link') return undefined;
  if ('header' in window.next)
    return /<(\w+:\/\/[^>]*)>/.exec(first.reply.header(window.next.header.toLowerCase()) ?? '')?.[1];
  try {
    const found = compilePath(window.next.at)(JSON.parse(first.reply.body.toString('utf8')) as never);
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Whether links lead to another host than Portico talks to. */
function judgeHost(session: ProbeSession, baseline: Baseline): Finding {
  const conclude = claimAt(
    'link host',
    'links lead to the source itself',
    listPlace(session, 'window', 'next'),
  );
  const address = writtenAddress(session, baseline);
  if (baseline.first.value.next === undefined) return conclude('could not tell', 'there is only one window');
  if (address === undefined || !URL.canParse(address)) return conclude('agrees', 'the address is relative');
  if (new URL(address).host === new URL(session.spec.net.baseUrl).host)
    return conclude('agrees', 'the host of net.baseUrl');
  return conclude('noted', 'another host: Portico takes only path and query, and stays with net.baseUrl');
}

/** Probes a source that gives its rows one window after the other. */
export function sequenceProbes(
  session: ProbeSession,
  baseline: Baseline,
  sample: ProbeWalk,
): readonly Probe[] {
  const { window } = session.list;
  if (window.kind !== 'cursor' && window.kind !== 'link' && window.kind !== 'keyset') return [];
  return [
    { name: 'last window', run: () => judgeWalk(session, sample) },
    { name: 'cursor twice', run: () => probeTwice(session, baseline) },
    ...(window.kind === 'link' ? [{ name: 'link host', run: () => judgeHost(session, baseline) }] : []),
  ];
}
