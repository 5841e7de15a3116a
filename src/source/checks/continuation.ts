// Checks the claims of lists whose windows can only be read one after the other: cursors, continuations and links. `doctor`
// and `infer` use the claims, and the gateway `isFullWindow`, for pages that it reaches by cursors.

import { compilePath } from '../adapter/spec/path.ts';
import { addressInHeader } from '../adapter/read/next.ts';
import { explainReplies } from '../adapter/read/explain-reply.ts';
import { type Claim, claimOf, type Evidence, type WindowEvidence } from './claim.ts';
import { describeExchange, idsOf, listPlace, sameIds } from './evidence/ask.ts';
import { concludeAt, type Finding } from './evidence/finding.ts';
import { plural } from '../../kernel/plural.ts';

/** Whether a window is as full as the total says, and the rows end where the total says, so that windows have fixed positions. */
export function isFullWindow({ call, rows }: WindowEvidence, total: number): boolean {
  const expected = Math.min(call.size, total - call.firstRow);
  const isFull = rows.received === expected && rows.records.length === rows.received;
  const goesOn = rows.next !== undefined || call.firstRow + rows.received === total;
  return isFull && goesOn && (rows.total ?? total) === total;
}

/** Whether each window names the next, and the last names none. */
function checkWalk({ ask, sample }: Evidence): Finding {
  const claim = 'each window names the next, and the last names none';
  const conclude = concludeAt('last window', claim, listPlace(ask, 'window'));
  const windows = plural(sample.steps.length, 'window');
  if (sample.complete) return conclude('agrees', `the walk ends after ${windows}`);
  if (sample.end === 'repeats')
    return conclude(
      'differs',
      `after ${windows}, rows come that came before`,
      'where the name of the next window stands, and how it is sent',
    );
  if (sample.refusal !== undefined)
    return conclude(
      'differs',
      `after ${windows}: ${describeExchange(sample.refusal)}`,
      'how the name of the next window is sent',
      sample.refusal,
    );
  return conclude('could not tell', 'the end was not reached within the bounds');
}

/** Whether the name (such as a cursor) of the second window gives the same rows each time. */
async function checkTwice({ ask, first }: Evidence): Promise<Finding> {
  const claim = 'the name of a window may be used more than once';
  const conclude = concludeAt('cursor twice', claim, listPlace(ask, 'window'));
  const reader = ask.open({});
  const { next, received } = first.value;
  if (reader?.window.kind !== 'sequential' || next === undefined)
    return conclude('could not tell', 'all rows stand in the first window');
  const call = reader.window.after(reader.window.first, next, received);
  const once = await reader.ask(call);
  const twice = await reader.ask(call);
  const onceOnly = 'a source whose names of windows work once cannot be read twice: another kind of window';
  if (twice.value === undefined)
    return conclude('differs', `the second time: ${describeExchange(twice)}`, onceOnly, twice);
  return sameIds(idsOf(once), idsOf(twice))
    ? conclude('agrees', 'the same rows both times')
    : conclude('differs', `other rows the second time (window: ${ask.list.window.kind})`, onceOnly, twice);
}

/** The address of the next window as the source writes it; `undefined` if there is none, or windows are no links. */
function writtenAddress({ ask: { spec, resource, list }, first: { reply } }: Evidence): string | undefined {
  const { window } = list;
  if (window.kind !== 'link') return undefined;
  if ('header' in window.next) return addressInHeader(reply.header(window.next.header.toLowerCase()));
  const body = explainReplies(spec, resource, 'list')?.body(reply);
  const found = body === undefined ? undefined : compilePath(window.next.at)(body);
  return typeof found === 'string' ? found : undefined;
}

/** Whether links lead to another host than Portico talks to. */
function checkHost(evidence: Evidence): Finding {
  const { ask, first } = evidence;
  const conclude = concludeAt(
    'link host',
    'links lead to the source itself',
    listPlace(ask, 'window', 'next'),
  );
  const address = writtenAddress(evidence);
  if (first.value.next === undefined) return conclude('could not tell', 'there is only one window');
  if (address === undefined || !URL.canParse(address)) return conclude('agrees', 'the address is relative');
  if (new URL(address).host === new URL(ask.spec.net.baseUrl).host)
    return conclude('agrees', 'the host of net.baseUrl');
  return conclude('noted', 'another host: Portico takes only path and query, and stays with net.baseUrl');
}

/** The claims of a source in whose list each window names the next one. */
export const continuationClaims: readonly Claim[] = [
  claimOf('last window', checkWalk),
  claimOf('cursor twice', checkTwice),
];

/** The claim that the links to next windows lead to the source itself. */
export const linkHostClaim = claimOf('link host', checkHost);
