// Finds for `infer` the parameter that sets where a window starts, and whether it counts rows or pages.

import type { RequestSpec } from '../../../config/schema/source.ts';
import type { ListAnswer } from '../requests/list-reader.ts';
import { type Effect, findParameter, type Search } from './find-parameter.ts';
import { withValue } from '../requests/request-parameters.ts';
import { type ParameterCandidate, countsPages } from './parameter-names.ts';

/** The parameter for the start of a window. */
export type StartParameter = ParameterCandidate & {
  readonly kind: 'offset' | 'page';
  readonly base: 0 | 1;
  /** Whether its name decided, because too few rows came to show if it counts rows or pages. */
  readonly isByName: boolean;
};

type Reading = Pick<StartParameter, 'kind' | 'base' | 'isByName'>;

/** What the search for a start needs to know. */
type StartSearch = Pick<Search, 'reader' | 'request' | 'candidates' | 'unknownParameter'> & {
  /** The ids of the first rows of the list, at least one window of them. */
  readonly ids: readonly string[];
  /** The request with the smallest window: fewer rows are enough to see the start move. */
  readonly narrow: RequestSpec;
  /** The number of rows in the windows of `request`, which show whether the parameter counts rows or pages. */
  readonly size: number;
};

const idsIn = ({ listing }: ListAnswer) => listing?.ids ?? [];

/** What a parameter counts, as its windows at the values 1 and 2 show. `known` are the first ids of the list. */
function readingOf(
  known: readonly string[],
  windows: readonly (readonly string[])[],
  size: number,
  name: string,
): Reading | undefined {
  const readings = [
    { kind: 'offset', base: 0, rows: [1, 2] },
    { kind: 'offset', base: 1, rows: [0, 1] },
    { kind: 'page', base: 0, rows: [size, 2 * size] },
    { kind: 'page', base: 1, rows: [0, size] },
  ] as const;
  // A window that is empty, or that begins with another row, begins behind the known rows.
  const shifts = windows.map(([first = '']) => (known.includes(first) ? known.indexOf(first) : known.length));
  const fitting = readings.filter(({ rows }) =>
    rows.every((row, index) => shifts[index] === Math.min(row, known.length)),
  );
  const isByName = fitting.length > 1;
  const chosen = fitting.find(({ kind }) => !isByName || (kind === 'page') === countsPages(name));
  return chosen && { kind: chosen.kind, base: chosen.base, isByName };
}

/** Guesses what a parameter counts, and from which number, by a few windows. Doctor checks the guess on more rows. */
async function readStart(
  { place, name }: ParameterCandidate,
  { reader, ids, request, size }: StartSearch,
): Promise<Reading | undefined> {
  const windowAt = async (value: number) => idsIn(await reader.read(withValue(request, place, value)));
  const windows = [await windowAt(1), await windowAt(2)];
  const shown = readingOf(ids, windows, size, name);
  if (shown !== undefined) return shown;
  // The request itself may begin later than the list.
  const known = new Set([await windowAt(0), ...windows].flat());
  return readingOf([...known], windows, size, name);
}

/** Finds the parameter for the start of a window, by asking for the second window. `undefined` if none moves it. */
export async function findStartParameter(search: StartSearch): Promise<StartParameter | undefined> {
  const { ids, narrow, size } = search;
  function effectOf(answer: ListAnswer): Effect {
    const [first] = idsIn(answer);
    if (first === undefined) return answer.listing === undefined ? 'refused' : 'other';
    return first === ids[0] ? 'ignored' : 'obeyed';
  }
  const lookFor = async (value: number) => {
    const found = await findParameter({ ...search, request: narrow, value, effectOf, callsMax: 30 });
    return found.filter(({ effect }) => effect === 'obeyed');
  };
  const second = await lookFor(2);
  // If pages count from 0 and rows are few, page 2 is empty.
  const found = second.length > 0 || ids.length > 3 * size ? second : await lookFor(1);
  for (const { candidate } of found) {
    const reading = await readStart(candidate, search);
    if (reading !== undefined) return { ...candidate, ...reading };
  }
  return undefined;
}
