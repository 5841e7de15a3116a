// Reads the first window of a list, which all other probes start from, and probes its size.

import type { Rows } from '../../../../source/adapter/compile.ts';
import type { InvalidReason } from '../../../../kernel/errors/fault.ts';
import {
  type Ask,
  describeExchange,
  type Exchange,
  idsOf,
  isNumbered,
  isWithinReach,
  listPlace,
  rowsAt,
  sizeKey,
  sizeOf,
} from '../../../../source/checks/evidence/ask.ts';
import {
  type Advice,
  concludeAt,
  type Finding,
  setting,
} from '../../../../source/checks/evidence/finding.ts';
import { plural } from '../../../../kernel/plural.ts';
import { isBrokenQuery, refusalHint } from './refusal-hint.ts';

type Read = Exchange<Rows> & { readonly value: Rows };

/** Where the file is to be corrected, by the reason why a reply cannot be read, and what to write there. */
const PLACES: Readonly<Partial<Record<InvalidReason, readonly [readonly string[], string]>>> = {
  content_type: [
    ['decode'],
    'decode: { contentTypes: […] } with the type that the source sends, if it is right',
  ],
  encoding: [['decode'], 'decode: { charset: … } with what the source really writes, such as windows-1252'],
  syntax: [['decode'], 'decode: { format: … } is json, xml, csv or ndjson'],
  rows: [['list', 'items'], 'items is the path of the array of rows; empty where the body is the array'],
  id: [['list', 'map', 'id'], 'the path and the kind of the id; or onInvalidRecord: drop'],
  total: [['list', 'total'], 'total: { at: … } or { header: … }; without it, rows are counted by a scan'],
  next: [['list', 'window'], 'where the name of the next window stands'],
};

/** How many smaller sizes are tried if the largest is refused. */
const SIZES_TRIED = 3;

/** The finding about a first reply that cannot be read, with the place in the file to correct. */
function unreadable(ask: Ask, first: Exchange<Rows>, correction?: Advice): Finding {
  const { problem } = first;
  if (problem?.credentialRefused === true)
    return concludeAt('first call', 'the credential is good', ['auth'])(
      'differs',
      describeExchange(first),
      refusalHint(first),
      first,
    );
  if (isBrokenQuery(first))
    return concludeAt('first call', 'the service can answer the query', listPlace(ask, 'request', 'body'))(
      'differs',
      `${describeExchange(first)}; the service refuses the query itself`,
      'correct the query in body: the names of its fields, arguments and types',
      first,
    );
  const place = problem?.reason === undefined ? undefined : PLACES[problem.reason];
  const [keys, usual] = place ?? [['outcomes'], 'outcomes: a rule that fits this reply'];
  const at = keys[0] === 'list' ? listPlace(ask, ...keys.slice(1)) : keys;
  return concludeAt('first call', 'the list can be read', at)(
    'differs',
    describeExchange(first),
    correction ?? usual,
    first,
  );
}

/** The first window if links may lead to another origin; `undefined` if it cannot be read then, either. */
async function atAnyOrigin(ask: Ask, size: number): Promise<{ ask: Ask; first: Read } | undefined> {
  if (ask.list.window.kind !== 'link') return undefined;
  const other = ask.with([{ at: listPlace(ask, 'window', 'origin'), value: 'any' }]);
  const first = await rowsAt(other, 0, size);
  return first.value && { ask: other, first: { ...first, value: first.value } };
}

/** The file with another size or base of its windows. */
function correct(ask: Ask, { size, base }: { readonly size?: number; readonly base?: number }): Ask {
  const key = sizeKey(ask.list);
  const value = key === 'sizes' ? [size] : size;
  return ask.with([
    ...(size === undefined ? [] : [{ at: listPlace(ask, 'window', key), value }]),
    ...(base === undefined ? [] : [{ at: listPlace(ask, 'window', 'base'), value: base }]),
  ]);
}

/** A smaller size that the file names and the source accepts. */
async function smallerSize(ask: Ask): Promise<{ readonly size: number; readonly first: Read } | undefined> {
  const { window } = ask.list;
  const declared = sizeOf(ask.list);
  const others = window.kind === 'page' ? window.sizes : [Math.min(10, declared)];
  const smaller = others.filter((size) => size < declared).sort((a, b) => b - a);
  for (const size of smaller.slice(0, SIZES_TRIED)) {
    const first = await rowsAt(ask, 0, size);
    if (first.value !== undefined) return { size, first: { ...first, value: first.value } };
  }
  return undefined;
}

/** Checks that a window is as large as the file says, and returns its real size. */
async function checkSize(ask: Ask, first: Read, asked: number): Promise<{ finding: Finding; size: number }> {
  const { window } = ask.list;
  const { received, next } = first.value;
  const size = sizeOf(ask.list);
  const at = listPlace(ask, 'window', sizeKey(ask.list));
  const conclude = concludeAt('size', `a call gives up to ${plural(size, 'row')}`, at);
  const given = (real: number, value: unknown, observed: string) => ({
    finding: conclude('differs', observed, setting(at, value), first),
    size: real,
  });
  const real = window.kind === 'page' ? [received] : received;
  const unclear = (observed: string) => ({ finding: conclude('could not tell', observed), size });
  if (asked < size) {
    const taken = window.kind === 'page' ? window.sizes.filter((one) => one <= asked) : asked;
    return given(
      asked,
      taken,
      `${plural(size, 'row')} are refused, and ${received} given where ${asked} are asked for`,
    );
  }
  if (received === size)
    return { finding: conclude('agrees', `${plural(received, 'row')} asked for and given`), size };
  if (received > size)
    return given(received, real, `${plural(received, 'row')} where ${size} were asked for`);
  if (!isNumbered(window))
    return next === undefined
      ? unclear(`${received} given`)
      : { finding: conclude('agrees', `${received} given`), size };
  if (received === 0) return unclear('there are no rows');
  if (window.shortPage === 'anywhere') return unclear(`${received} given, and windows may be short anywhere`);
  if (!isWithinReach(ask.list, received, received))
    return unclear(`${received} given, and what is behind them cannot be reached`);
  // The source gives fewer rows than it is asked for though it has more.
  const known = new Set(idsOf(first));
  if (idsOf(await rowsAt(ask, received, received)).some((id) => !known.has(id)))
    return given(
      received,
      real,
      `${plural(received, 'row')} where ${size} were asked for, and more behind them`,
    );
  return unclear(`${plural(received, 'row')} came, and no new ones stand right behind them`);
}

/**
 * Asks for the first window as the gateway would, and checks that it can be read and how large it is. `opened` has the window, and
 * the file as it was corrected to read it. If no window can be read it is `undefined`, and nothing more can be probed.
 */
export async function openFirstWindow(declared: Ask) {
  const { window } = declared.list;
  const size = sizeOf(declared.list);
  let ask = declared;
  let base: number | undefined;
  let asked = size;
  let first = await rowsAt(ask, 0, size);
  const isRefused = first.problem?.credentialRefused === true;
  // If no rows come although there are some, windows may be counted from the other number.
  if (!isRefused && 'base' in window && (first.value?.received ?? 0) === 0 && first.value?.total !== 0) {
    const other = correct(ask, { base: 1 - window.base });
    const moved = await rowsAt(other, 0, size);
    if (moved.value !== undefined && moved.value.received > 0)
      [ask, base, first] = [other, 1 - window.base, moved];
  }
  if (
    base === undefined &&
    first.problem?.reason === undefined &&
    first.problem?.credentialRefused === false
  ) {
    const smaller = await smallerSize(ask);
    if (smaller !== undefined) [asked, first] = [smaller.size, smaller.first];
  }
  const elsewhere = first.problem?.reason === 'next' ? await atAnyOrigin(ask, size) : undefined;
  const readable = elsewhere
    ? unreadable(ask, first, setting(listPlace(ask, 'window', 'origin'), 'any'))
    : concludeAt('first call', 'the list can be read', listPlace(ask))('agrees', describeExchange(first));
  if (elsewhere !== undefined) ({ ask, first } = elsewhere);
  const { value } = first;
  if (value === undefined) return { findings: [unreadable(ask, first)], opened: undefined };
  const read = { ...first, value };
  if (!Number.isFinite(size)) return { findings: [readable], opened: { ask, first: read, base } };
  const { finding, size: real } = await checkSize(ask, read, asked);
  const corrected = real === size ? ask : correct(ask, { size: real });
  return { findings: [readable, finding], opened: { ask: corrected, first: read, base } };
}
