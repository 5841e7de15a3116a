import { compilePath } from '../../adapter/path.ts';
import { type Examination, heardText } from '../session/probe-session.ts';
import { claimed, counted, type Finding, type Probe } from '../session/finding.ts';
import type { Walk } from '../session/walk.ts';
import { type Footing, idsOf, listPlace, plainLister, sameIds } from '../session/windows.ts';

/** Whether the name of the second window gives the same rows each time. */
async function probeTwice(examination: Examination, { first, change }: Footing): Promise<Finding> {
  const { window } = examination.list;
  const tell = claimed(
    'cursor twice',
    'the name of a window may be used more than once',
    listPlace(examination, 'window'),
  );
  const lister = plainLister(examination, change);
  const { next, received } = first.value;
  if (lister.window.kind !== 'sequential' || next === undefined)
    return tell('could not tell', 'all rows stand in the first window');
  const call = lister.window.after(lister.window.first, next, received);
  const once = await lister.ask(call);
  const twice = await lister.ask(call);
  if (twice.value === undefined)
    return tell('differs', `the second time: ${heardText(twice)}`, { calls: [twice.request] });
  return sameIds(idsOf(once), idsOf(twice))
    ? tell('agrees', 'the same rows both times')
    : tell('differs', `other rows the second time (window: ${window.kind})`, { calls: [twice.request] });
}

/** How the walk from window to window ended. */
function judgeWalk(examination: Examination, sample: Walk): Finding {
  const tell = claimed(
    'last window',
    'each window names the next, and the last names none',
    listPlace(examination, 'window'),
  );
  const calls = sample.refusal === undefined ? [] : [sample.refusal.request];
  const windows = counted(sample.steps.length, 'window');
  if (sample.complete) return tell('agrees', `the walk ends after ${windows}`);
  if (sample.end === 'repeats')
    return tell('differs', `after ${windows}, rows come that came before`, {
      hint: 'where the name of the next window stands, and how it is sent',
    });
  if (sample.refusal !== undefined)
    return tell('differs', `after ${windows}: ${heardText(sample.refusal)}`, { calls });
  return tell('could not tell', 'the end was not reached within the bounds');
}

/** The address of the next window, as the source writes it. */
function writtenAddress(examination: Examination, { first }: Footing): string | undefined {
  const { window } = examination.list;
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
function judgeHost(examination: Examination, footing: Footing): Finding {
  const tell = claimed(
    'link host',
    'links lead to the source itself',
    listPlace(examination, 'window', 'next'),
  );
  const address = writtenAddress(examination, footing);
  if (footing.first.value.next === undefined) return tell('could not tell', 'there is only one window');
  if (address === undefined || !URL.canParse(address)) return tell('agrees', 'the address is relative');
  if (new URL(address).host === new URL(examination.spec.net.baseUrl).host)
    return tell('agrees', 'the host of net.baseUrl');
  return tell('noted', 'another host: Portico takes only path and query, and stays with net.baseUrl');
}

/** Probes a source that gives its rows one window after the other. */
export function sequenceProbes(examination: Examination, footing: Footing, sample: Walk): readonly Probe[] {
  const { window } = examination.list;
  if (window.kind !== 'cursor' && window.kind !== 'link' && window.kind !== 'keyset') return [];
  return [
    { name: 'last window', run: () => judgeWalk(examination, sample) },
    { name: 'cursor twice', run: () => probeTwice(examination, footing) },
    ...(window.kind === 'link' ? [{ name: 'link host', run: () => judgeHost(examination, footing) }] : []),
  ];
}
