import type { RequestSpec } from '../../../config/schema/source.ts';
import type { ListReader, ListAnswer, ListReply } from '../requests/list-reader.ts';
import { bestFirst, type Effect, findParameter, type UnknownParameter } from './probe-parameter.ts';
import { withValue } from '../requests/request-parameters.ts';
import { type ParameterCandidate, countsPages } from './parameter-names.ts';

/** The parameter for the start of a window. */
export type StartParameter = ParameterCandidate & {
  readonly kind: 'offset' | 'page';
  readonly base: 0 | 1;
  /** Why it may be otherwise, if it may. */
  readonly doubt: string | undefined;
};

/** The row (from 0) at which a window starts. `behind`: its first row is not a known one. */
type Shift = number | 'behind' | 'nothing';

function shiftOf(known: readonly string[], answer: ListAnswer): Shift {
  const [first] = answer.listing?.ids ?? [];
  if (first === undefined) return 'nothing';
  const index = known.indexOf(first);
  return index < 0 ? 'behind' : index;
}

type Reading = Pick<StartParameter, 'kind' | 'base' | 'doubt'>;

/** Reads what the windows at 1 and 2 show, for windows of `size` rows. */
function readShifts(
  [one, two]: readonly [Shift, Shift],
  size: number,
  known: number,
  name: string,
): Reading | undefined {
  const at = (shift: Shift, row: number) =>
    shift === row || (row >= known && (shift === 'behind' || shift === 'nothing'));
  const readings: readonly (Omit<Reading, 'doubt'> & { rows: readonly [number, number] })[] = [
    { kind: 'offset', base: 0, rows: [1, 2] },
    { kind: 'offset', base: 1, rows: [0, 1] },
    { kind: 'page', base: 0, rows: [size, 2 * size] },
    { kind: 'page', base: 1, rows: [0, size] },
  ];
  const fitting = readings.filter(
    ({ rows }) => at(one, rows[0]) && at(two, rows[1]) && (one !== 0 || two !== 0),
  );
  const chosen =
    fitting.length > 1 ? fitting.find(({ kind }) => (kind === 'page') === countsPages(name)) : fitting[0];
  const doubt = fitting.length > 1 ? 'two rows could not show whether it counts rows or pages' : undefined;
  return chosen && { kind: chosen.kind, base: chosen.base, doubt };
}

function judgeStart(known: readonly string[], plain: ListReply): (answer: ListAnswer) => Effect {
  return (answer) => {
    if (answer.listing === undefined) return 'refused';
    const shift = shiftOf(known, answer);
    if (shift === 0) return 'ignored';
    if (shift === 'nothing') return plain.rows.length === 0 ? 'ignored' : 'other';
    return 'obeyed';
  };
}

/** The facts that the search for a start needs. */
export type StartSearch = {
  readonly candidates: readonly ParameterCandidate[];
  readonly unknownParameter: UnknownParameter;
  /** The first rows of the list, at least one window of them. */
  readonly base: ListReply;
  /** The request with the smallest window, which shows a start with the fewest rows. */
  readonly narrow: RequestSpec;
  /** The request with windows of `size` rows, which tell rows from pages. */
  readonly wide: RequestSpec;
  readonly size: number;
  /** The request with windows of another size, to ask once more; `undefined` if there is none. */
  readonly other: { readonly request: RequestSpec; readonly size: number } | undefined;
};

type Selection = { readonly request: RequestSpec; readonly size: number };

/** Reads the windows at 1 and 2 of a selection; gives what they show of it to somebody who knows the first rows. */
async function readPair(
  reader: ListReader,
  { place, name }: ParameterCandidate,
  { request, size }: Selection,
) {
  const one = await reader.read(withValue(request, place, 1));
  const two = await reader.read(withValue(request, place, 2));
  return {
    pair: [one, two],
    readingFor: (known: readonly string[]) =>
      readShifts([shiftOf(known, one), shiftOf(known, two)], size, known.length, name),
  };
}

/** The first rows of the list, where the request itself begins later: those of the windows at 0, 1 and 2. */
async function firstIds(
  reader: ListReader,
  { place }: ParameterCandidate,
  { request }: Selection,
  pair: readonly ListAnswer[],
): Promise<readonly string[]> {
  const zero = await reader.read(withValue(request, place, 0));
  return [...new Set([zero, ...pair].flatMap(({ listing }) => listing?.ids ?? []))];
}

/**
 * Why the first index may be another than it seems: windows of another size say otherwise, or the window at 0 lacks
 * rows, as it does where the service hides a row after it has paged.
 */
async function doubtOf(
  reader: ListReader,
  candidate: ParameterCandidate,
  found: Reading,
  { known, wide, other }: { known: readonly string[]; wide: Selection; other: Selection | undefined },
): Promise<string | undefined> {
  if (found.doubt !== undefined || reader.client.callsLeft < 8) return found.doubt;
  if (found.base === 1 && found.kind === 'offset' && wide.size > 1) {
    const { listing } = await reader.read(withValue(wide.request, candidate.place, 0));
    if (listing !== undefined && listing.rows.length < wide.size && known.length > wide.size)
      return 'the window at 0 lacks rows, so the service may hide some and count from 0';
  }
  const again = other && (await readPair(reader, candidate, other)).readingFor(known);
  const isSame = again === undefined || (again.kind === found.kind && again.base === found.base);
  return isSame ? undefined : 'windows of another size say otherwise, so rows may be hidden';
}

/** Finds the parameter for the start of a window, by asking for the second window. `undefined` if none moves it. */
export async function findStart(
  reader: ListReader,
  search: StartSearch,
): Promise<StartParameter | undefined> {
  const { base, wide, size, unknownParameter } = search;
  const candidates = bestFirst(search.candidates, unknownParameter);
  const judge = judgeStart(base.ids, base);
  const lookFor = (value: number) =>
    findParameter(reader, {
      candidates,
      request: search.narrow,
      value,
      unknownParameter,
      judge,
      callsMax: 30,
    });
  const isThere = (found: Awaited<ReturnType<typeof lookFor>>) =>
    found.some(({ effect }) => effect === 'obeyed');
  const second = await lookFor(2);
  // If pages count from 0 and rows are few, page 2 is empty.
  const found = isThere(second) || base.ids.length > 3 * size ? second : await lookFor(1);
  for (const { candidate, effect } of found) {
    if (effect !== 'obeyed') continue;
    const selection = { request: wide, size };
    const { pair, readingFor } = await readPair(reader, candidate, selection);
    const shown = readingFor(base.ids);
    const known = shown === undefined ? await firstIds(reader, candidate, selection, pair) : base.ids;
    const reading = shown ?? readingFor(known);
    if (reading === undefined) continue;
    const doubt = await doubtOf(reader, candidate, reading, { known, wide: selection, other: search.other });
    return { ...candidate, ...reading, doubt };
  }
  return undefined;
}
