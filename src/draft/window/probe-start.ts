import type { RequestSpec } from '../../config/schema/source.ts';
import type { ListReader, ListAnswer, ListReply } from '../requests/list-reader.ts';
import { bestFirst, type Effect, findParameter, type UnknownParameter } from './probe-parameter.ts';
import { withValue } from '../requests/request-parameters.ts';
import { type ParameterCandidate, countsPages } from './parameter-names.ts';

/** The parameter for the start of a window. */
export type StartParameter = ParameterCandidate & {
  readonly kind: 'offset' | 'page';
  readonly base: 0 | 1;
  /** Two rows cannot show whether it counts rows or pages, so the name decides. */
  readonly byName: boolean;
};

/** The row (from 0) at which a window starts. `behind`: its first row is not a known one. */
type Shift = number | 'behind' | 'nothing';

function shiftOf(known: readonly string[], answer: ListAnswer): Shift {
  const [first] = answer.listing?.ids ?? [];
  if (first === undefined) return 'nothing';
  const index = known.indexOf(first);
  return index < 0 ? 'behind' : index;
}

type Reading = Pick<StartParameter, 'kind' | 'base' | 'byName'>;

/** Reads what the windows at 1 and 2 show, for windows of `size` rows. */
function readShifts(
  [one, two]: readonly [Shift, Shift],
  size: number,
  known: number,
  name: string,
): Reading | undefined {
  const at = (shift: Shift, row: number) =>
    shift === row || (row >= known && (shift === 'behind' || shift === 'nothing'));
  const readings: readonly (Reading & { rows: readonly [number, number] })[] = [
    { kind: 'offset', base: 0, byName: false, rows: [1, 2] },
    { kind: 'offset', base: 1, byName: false, rows: [0, 1] },
    { kind: 'page', base: 0, byName: false, rows: [size, 2 * size] },
    { kind: 'page', base: 1, byName: false, rows: [0, size] },
  ];
  const fitting = readings.filter(
    ({ rows }) => at(one, rows[0]) && at(two, rows[1]) && (one !== 0 || two !== 0),
  );
  const chosen =
    fitting.length > 1 ? fitting.find(({ kind }) => (kind === 'page') === countsPages(name)) : fitting[0];
  return chosen && { kind: chosen.kind, base: chosen.base, byName: fitting.length > 1 };
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
};

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
    const one = await reader.read(withValue(wide, candidate.place, 1));
    const two = await reader.read(withValue(wide, candidate.place, 2));
    const shifts = [shiftOf(base.ids, one), shiftOf(base.ids, two)] as const;
    const reading = readShifts(shifts, size, base.ids.length, candidate.name);
    if (reading !== undefined) return { ...candidate, ...reading };
  }
  return undefined;
}
