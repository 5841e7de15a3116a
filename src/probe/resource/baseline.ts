import type { Rows } from '../../adapter/compile.ts';
import type { InvalidReason } from '../../errors/fault.ts';
import { callAt, type ProbeSession, describeExchange, type ProbedList } from './probe-session.ts';
import type { SessionExchange } from '../session/source-session.ts';
import { claimAt, counted, type Finding } from './finding.ts';
import { type Variation, isWithinReach, sizeOf } from './source-variant.ts';

/** A baseline for all probes: the first window, and how windows are really asked for where the file is wrong. */
export type Baseline = {
  readonly first: SessionExchange<Rows> & { readonly value: Rows };
  readonly change: Required<Pick<Variation, 'size'>> & Variation;
};

/** The first findings; without a baseline, nothing more can be probed. */
export type BaselineResult = {
  readonly findings: readonly Finding[];
  readonly baseline: Baseline | undefined;
};

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

/** The ids of a window, in order. */
export function idsOf(exchange: SessionExchange<Rows>): readonly string[] {
  return exchange.value?.records.map(({ id }) => id) ?? [];
}

/** Whether the same ids stand in the same order. */
export function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/** Smaller sizes that are tried where the largest is refused. */
const SIZES_TRIED = 3;

/** A path of keys within the list of the resource. */
export function listPlace(
  { resource }: ProbeSession,
  ...keys: readonly PropertyKey[]
): readonly PropertyKey[] {
  return ['resources', resource.name, 'list', ...keys];
}

/** The list without filters and sort. @throws Error if the planner does not ask for it */
export function unfilteredList(session: ProbeSession, change?: Variation): ProbedList {
  const reader = session.reader({}, change);
  if (reader === undefined) throw new Error('every row can be asked for');
  return reader;
}

/** The finding about a first reply that cannot be read, with the place in the file to correct. */
function unreadable(session: ProbeSession, first: SessionExchange<Rows>): Finding {
  const { problem } = first;
  const place = problem?.reason === undefined ? undefined : PLACES[problem.reason];
  const [keys, usual] = place ?? [['outcomes'], 'outcomes: a rule that fits this reply'];
  const [top, ...rest] = keys;
  const at = top === 'list' ? listPlace(session, ...rest) : keys;
  const isRefused = problem?.credentialRefused === true;
  return claimAt(
    'first call',
    isRefused ? 'the credential is good' : 'the list can be read',
    isRefused ? ['auth'] : at,
  )('differs', describeExchange(first), {
    hint: isRefused ? 'auth, and the variables that it names' : usual,
    calls: [first.request],
  });
}

/** The first window, counted from the other number, where that brings rows. */
async function fromOtherBase(session: ProbeSession): Promise<Baseline | undefined> {
  const { window } = session.list;
  if (window.kind !== 'offset' && window.kind !== 'page') return undefined;
  const change = { base: 1 - window.base, size: sizeOf(session.list) };
  const reader = unfilteredList(session, change);
  const first = await reader.ask(callAt(session, reader, 0, change.size));
  const { value } = first;
  return value === undefined || value.received === 0 ? undefined : { first: { ...first, value }, change };
}

/** The first window of a smaller size, where the source accepts it. */
async function inSmallerSize(session: ProbeSession): Promise<Baseline | undefined> {
  const { window } = session.list;
  const declared = sizeOf(session.list);
  const others = window.kind === 'page' ? window.sizes : [Math.min(10, declared)];
  const smaller = others.filter((size) => size < declared).sort((a, b) => b - a);
  for (const size of smaller.slice(0, SIZES_TRIED)) {
    const reader = unfilteredList(session, { size });
    const first = await reader.ask(callAt(session, reader, 0, size));
    if (first.value !== undefined) return { first: { ...first, value: first.value }, change: { size } };
  }
  return undefined;
}

/** Whether the source gives fewer rows than it is asked for though it has more. */
async function isClamped(
  session: ProbeSession,
  { first, change }: Baseline,
  received: number,
): Promise<boolean> {
  const reader = unfilteredList(session, { ...change, size: received });
  const behind = await reader.ask(callAt(session, reader, received, received));
  const known = new Set(idsOf(first));
  return idsOf(behind).some((id) => !known.has(id));
}

/** Whether the largest declared window is given in full; and how large it really is. */
async function probeSize(
  session: ProbeSession,
  baseline: Baseline,
): Promise<{ readonly finding: Finding; readonly size: number }> {
  const { first } = baseline;
  const { received } = first.value;
  const { window } = session.list;
  const size = sizeOf(session.list);
  const [key, write] = window.kind === 'page' ? ['sizes', (n: number) => `[${n}]`] : ['sizeMax', String];
  const conclude = claimAt(
    'size',
    `a call gives up to ${counted(size, 'row')}`,
    listPlace(session, 'window', key),
  );
  const more = { calls: [first.request], hint: `window: { ${key}: ${write(received)} }` };
  const asked = baseline.change.size;
  const result = (finding: Finding, real = size) => ({ finding, size: real });
  if (asked < size)
    return result(
      conclude(
        'differs',
        `${counted(size, 'row')} are refused, and ${received} given where ${asked} are asked for`,
        {
          hint: `window: { ${key}: ${window.kind === 'page' ? `[${window.sizes.filter((one) => one <= asked).join(', ')}]` : asked} }`,
        },
      ),
      asked,
    );
  if (received === size) return result(conclude('agrees', `${counted(received, 'row')} asked for and given`));
  if (received > size)
    return result(
      conclude('differs', `${counted(received, 'row')} where ${size} were asked for`, more),
      received,
    );
  if (window.kind !== 'offset' && window.kind !== 'page')
    return result(
      conclude(first.value.next === undefined ? 'could not tell' : 'agrees', `${received} given`),
    );
  if (received === 0) return result(conclude('could not tell', 'there are no rows'));
  if (window.shortPage === 'anywhere')
    return result(conclude('could not tell', `${received} given, and windows may be short anywhere`));
  if (!isWithinReach(session.list, received, received))
    return result(conclude('could not tell', `${received} given, and what is behind them cannot be reached`));
  if (await isClamped(session, baseline, received))
    return result(
      conclude(
        'differs',
        `${counted(received, 'row')} where ${size} were asked for, and more behind them`,
        more,
      ),
      received,
    );
  return result(
    conclude('could not tell', `${counted(received, 'row')} came, and no new ones stand right behind them`),
  );
}

/** Asks for the first window, as the gateway would, and says whether it can be read and is as large as it may be. */
export async function probeBaseline(session: ProbeSession): Promise<BaselineResult> {
  const declared = sizeOf(session.list);
  const reader = unfilteredList(session, { size: declared });
  let first = await reader.ask(callAt(session, reader, 0, declared));
  let other: Baseline | undefined;
  // No rows where there should be some can mean that windows are counted from the other number.
  if (
    first.problem?.credentialRefused !== true &&
    (first.value?.received ?? 0) === 0 &&
    first.value?.total !== 0
  )
    other = await fromOtherBase(session);
  if (
    other === undefined &&
    first.problem?.reason === undefined &&
    first.problem?.credentialRefused === false
  )
    other = await inSmallerSize(session);
  if (other !== undefined) first = other.first;
  const { value } = first;
  if (value === undefined) return { findings: [unreadable(session, first)], baseline: undefined };
  const conclude = claimAt('first call', 'the list can be read', listPlace(session));
  const findings = [conclude('agrees', describeExchange(first))];
  const exchange = { ...first, value };
  const baseline = { first: exchange, change: { size: declared, ...other?.change } };
  if (!Number.isFinite(declared)) return { findings, baseline };
  const { finding, size } = await probeSize(session, baseline);
  return {
    findings: [...findings, finding],
    baseline: { first: exchange, change: { ...baseline.change, size } },
  };
}
