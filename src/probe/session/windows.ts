import type { Rows } from '../../adapter/compile.ts';
import type { InvalidReason } from '../../errors/fault.ts';
import { callAt, type Examination, type Heard, heardText, type Lister } from './probe-session.ts';
import { claimed, counted, type Finding } from './finding.ts';
import { type Change, isWithinReach, sizeOf } from './source-variant.ts';

/** The first window that came, and how windows are really asked for where that is not as the file says. */
export type Footing = {
  readonly first: Heard<Rows> & { readonly value: Rows };
  readonly change: Required<Pick<Change, 'size'>> & Change;
};

/** What the first probes found; without a footing there is nothing more to be asked. */
export type Contact = { readonly findings: readonly Finding[]; readonly footing: Footing | undefined };

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
export function idsOf(heard: Heard<Rows>): readonly string[] {
  return heard.value?.records.map(({ id }) => id) ?? [];
}

/** Whether the same ids stand in the same order. */
export function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/** Smaller sizes that are tried where the largest is refused. */
const SIZES_TRIED = 3;

/** A path of keys within the list of the resource. */
export function listPlace(
  { resource }: Examination,
  ...keys: readonly PropertyKey[]
): readonly PropertyKey[] {
  return ['resources', resource.name, 'list', ...keys];
}

/** The lister for every row, whatever the planner thinks of it. */
export function plainLister(examination: Examination, change?: Change): Lister {
  const lister = examination.lister({}, change);
  if (lister === undefined) throw new Error('every row can be asked for');
  return lister;
}

/** What is wrong with the first reply, and where in the file that is mended. */
function unreadable(examination: Examination, first: Heard<Rows>): Finding {
  const { problem } = first;
  const place = problem?.reason === undefined ? undefined : PLACES[problem.reason];
  const [keys, usual] = place ?? [['outcomes'], 'outcomes: a rule that fits this reply'];
  const [top, ...rest] = keys;
  const at = top === 'list' ? listPlace(examination, ...rest) : keys;
  const told = problem?.credentialRefused === true;
  return claimed(
    'first call',
    told ? 'the credential is good' : 'the list can be read',
    told ? ['auth'] : at,
  )('differs', heardText(first), {
    hint: told ? 'auth, and the variables that it names' : usual,
    calls: [first.request],
  });
}

/** The first window, counted from the other number, where that brings rows. */
async function fromOtherBase(examination: Examination): Promise<Footing | undefined> {
  const { window } = examination.list;
  if (window.kind !== 'offset' && window.kind !== 'page') return undefined;
  const change = { base: 1 - window.base, size: sizeOf(examination.list) };
  const lister = plainLister(examination, change);
  const first = await lister.ask(callAt(examination, lister, 0, change.size));
  const { value } = first;
  return value === undefined || value.received === 0 ? undefined : { first: { ...first, value }, change };
}

/** The first window of a smaller size, where that is understood. */
async function inSmallerSize(examination: Examination): Promise<Footing | undefined> {
  const { window } = examination.list;
  const declared = sizeOf(examination.list);
  const others = window.kind === 'page' ? window.sizes : [Math.min(10, declared)];
  const smaller = others.filter((size) => size < declared).sort((a, b) => b - a);
  for (const size of smaller.slice(0, SIZES_TRIED)) {
    const lister = plainLister(examination, { size });
    const first = await lister.ask(callAt(examination, lister, 0, size));
    if (first.value !== undefined) return { first: { ...first, value: first.value }, change: { size } };
  }
  return undefined;
}

/** Whether the source gives fewer rows than it is asked for though it has more. */
async function isClamped(
  examination: Examination,
  { first, change }: Footing,
  received: number,
): Promise<boolean> {
  const lister = plainLister(examination, { ...change, size: received });
  const behind = await lister.ask(callAt(examination, lister, received, received));
  const known = new Set(idsOf(first));
  return idsOf(behind).some((id) => !known.has(id));
}

/** Whether the largest declared window is given in full; and how large it really is. */
async function probeSize(
  examination: Examination,
  footing: Footing,
): Promise<{ readonly finding: Finding; readonly size: number }> {
  const { first } = footing;
  const { received } = first.value;
  const { window } = examination.list;
  const size = sizeOf(examination.list);
  const [key, write] = window.kind === 'page' ? ['sizes', (n: number) => `[${n}]`] : ['sizeMax', String];
  const tell = claimed(
    'size',
    `a call gives up to ${counted(size, 'row')}`,
    listPlace(examination, 'window', key),
  );
  const more = { calls: [first.request], hint: `window: { ${key}: ${write(received)} }` };
  const asked = footing.change.size;
  const told = (finding: Finding, real = size) => ({ finding, size: real });
  if (asked < size)
    return told(
      tell(
        'differs',
        `${counted(size, 'row')} are refused, and ${received} given where ${asked} are asked for`,
        {
          hint: `window: { ${key}: ${window.kind === 'page' ? `[${window.sizes.filter((one) => one <= asked).join(', ')}]` : asked} }`,
        },
      ),
      asked,
    );
  if (received === size) return told(tell('agrees', `${counted(received, 'row')} asked for and given`));
  if (received > size)
    return told(tell('differs', `${counted(received, 'row')} where ${size} were asked for`, more), received);
  if (window.kind !== 'offset' && window.kind !== 'page')
    return told(tell(first.value.next === undefined ? 'could not tell' : 'agrees', `${received} given`));
  if (received === 0) return told(tell('could not tell', 'there are no rows'));
  if (window.shortPage === 'anywhere')
    return told(tell('could not tell', `${received} given, and windows may be short anywhere`));
  if (!isWithinReach(examination.list, received, received))
    return told(tell('could not tell', `${received} given, and what is behind them cannot be reached`));
  if (await isClamped(examination, footing, received))
    return told(
      tell('differs', `${counted(received, 'row')} where ${size} were asked for, and more behind them`, more),
      received,
    );
  return told(
    tell('could not tell', `${counted(received, 'row')} came, and no new ones stand right behind them`),
  );
}

/** Asks for the first window, as the gateway would, and says whether it can be read and is as large as it may be. */
export async function probeContact(examination: Examination): Promise<Contact> {
  const declared = sizeOf(examination.list);
  const lister = plainLister(examination, { size: declared });
  let first = await lister.ask(callAt(examination, lister, 0, declared));
  let other: Footing | undefined;
  // Nothing where something should be may come of counting from the wrong number.
  if (
    first.problem?.credentialRefused !== true &&
    (first.value?.received ?? 0) === 0 &&
    first.value?.total !== 0
  )
    other = await fromOtherBase(examination);
  if (
    other === undefined &&
    first.problem?.reason === undefined &&
    first.problem?.credentialRefused === false
  )
    other = await inSmallerSize(examination);
  if (other !== undefined) first = other.first;
  const { value } = first;
  if (value === undefined) return { findings: [unreadable(examination, first)], footing: undefined };
  const tell = claimed('first call', 'the list can be read', listPlace(examination));
  const findings = [tell('agrees', heardText(first))];
  const heard = { ...first, value };
  const footing = { first: heard, change: { size: declared, ...other?.change } };
  if (!Number.isFinite(declared)) return { findings, footing };
  const { finding, size } = await probeSize(examination, footing);
  return { findings: [...findings, finding], footing: { first: heard, change: { ...footing.change, size } } };
}
