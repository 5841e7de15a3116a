// The names that services usually give to the parameters of paging. `infer` tries them.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import { words } from '../detect/usual-names.ts';
import {
  bodyParameters,
  numberAt,
  type Parameter,
  parameterName,
  requestParameters,
} from '../requests/request-parameters.ts';

/** Names of size parameters, the most common first. */
const SIZES =
  words(`limit per_page pageSize page_size size count _limit $top take perPage rows max top pagesize
  page[size] page[limit] $limit itemsPerPage items_per_page maxResults max_results n cnt ps pp num results length
  resultsPerPage hitsPerPage rowsPerPage maxRows maxRecords first batchSize _count _pageSize pagination[pageSize]
  pagination[limit] filter[limit] limitTo items anzahl limite taille ipp step`);

/** Names of start parameters (row or page). */
const STARTS =
  words(`offset page skip start _start _page $skip $offset p from startIndex start_index pageNumber page_number
  pageNo page_no pageIndex page_index currentPage current_page pg page[number] page[offset] first firstRow startRow
  firstResult startAt start_at begin pos position pagination[page] pagination[start] filter[skip] filter[offset] _offset seite row skipCount
  offsetRows pageNum page_num paged`);

/** Names of cursor parameters. */
const CURSORS =
  words(`cursor after page_token pageToken next_token nextToken next continuation continuationToken
  starting_after startingAfter next_cursor nextCursor token page[after] page[cursor] page_info marker scrollId
  scroll_id bookmark lastKey exclusiveStartKey startAfter nextPageToken`);

/** The most numbers of a request that are varied. */
const GIVEN_MAX = 6;

/** Whether a name says that pages are counted, not rows. */
export function countsPages(name: string): boolean {
  return /pag|^p$|^pg$|seite/.test(fold(name)) && !/offset|start/.test(fold(name));
}

/** A parameter that may have the wanted effect. */
export type ParameterCandidate = {
  readonly place: Parameter;
  readonly name: string;
  /** What is sent for {value}; the value alone if it is absent. */
  readonly template?: string;
};

/** Matches XML elements such as MaxRows and FirstRow, with the words of the name in any order. */
const LIKE = {
  size: /^(?:max(?:imum)?(?:rows|results|records|items|count)|(?:row|page|record)s?(?:count|size|limit)|pagesize|numberof(?:rows|records|results))$/,
  start:
    /^(?:(?:first|start)(?:row|index|record|result|at|position)|skip(?:rows|count)?|page(?:number|no|index)?|rowoffset)$/,
  cursor: /^$/,
};

/** The parameters of a body that have one of the names. */
function bodyCandidates(
  request: RequestSpec,
  names: readonly string[],
  like: RegExp,
  known: string | undefined,
): readonly ParameterCandidate[] {
  const wanted = new Set(names.map(fold));
  return bodyParameters(request)
    .map(({ place, name: key }) => {
      const name = parameterName(place);
      return {
        place,
        name,
        key,
        isKnown: known !== undefined && (name === known || fold(key) === fold(known)),
      };
    })
    .filter(({ key, isKnown }) => isKnown || wanted.has(fold(key)) || like.test(fold(key)))
    .sort((a, b) => Number(b.isKnown) - Number(a.isKnown))
    .map(({ place, name }) => ({ place, name }));
}

/** The parameters that may take a size, a start or a cursor, the most probable first. */
export function candidatesFor(
  what: 'size' | 'start' | 'cursor',
  request: RequestSpec,
  known: string | undefined,
): readonly ParameterCandidate[] {
  const names = { size: SIZES, start: STARTS, cursor: CURSORS }[what];
  if (request.body !== undefined) return bodyCandidates(request, names, LIKE[what], known);
  const given = Object.keys(request.query).filter((name) => names.includes(name));
  const ordered = new Set([...(known === undefined ? [] : [known]), ...given, ...names]);
  return [...ordered].map((name) => ({ place: { in: 'query', name }, name }));
}

const IS_NUMBER = /^\d{1,7}$/;

/** The numbers in the operator's request whose parameter names say nothing. Each may count rows or pages. */
export function givenNumbers(request: RequestSpec): readonly (readonly ParameterCandidate[])[] {
  return requestParameters(request)
    .filter(
      ({ value }) => (typeof value === 'number' || typeof value === 'string') && IS_NUMBER.test(`${value}`),
    )
    .slice(0, GIVEN_MAX)
    .map(({ place }) => [{ place, name: parameterName(place) }]);
}

type Bounds = readonly [first: Parameter, last: Parameter];

const RANGES = words(`from-to from-upto start-end first-last startRow-endRow firstRow-lastRow fromRow-toRow
  startIndex-endIndex _start-_end begin-end from-until von-bis`).map((pair): Bounds => {
  const inQuery = (name = '') => ({ in: 'query', name }) as const;
  const [first, last] = pair.split('-');
  return [inQuery(first), inQuery(last)];
});

/** Pairs of numbers in the request, between which are at least as many rows as came. */
function givenBounds(request: RequestSpec, came: number): readonly Bounds[] {
  const places = givenNumbers(request).flatMap(([one]) => one?.place ?? []);
  const pairs = places.flatMap((first) => places.map((last): Bounds => [first, last]));
  return pairs.filter(([first, last]) => {
    const span = (numberAt(request, last) ?? 0) - (numberAt(request, first) ?? 0) + 1;
    return span > 1 && span >= came;
  });
}

/** The counts of ranges of rows whose bounds two parameters may name: numbers of the request, then pairs of usual names. */
export function rangeCandidates(request: RequestSpec, came: number): ReturnType<typeof givenNumbers> {
  const countOf = ([first, last]: Bounds, isBehind: boolean): ParameterCandidate => ({
    place: { in: 'range', part: 'count', first, last, isBehind },
    name: parameterName(last),
  });
  const given = givenBounds(request, came).map((pair) => [countOf(pair, false), countOf(pair, true)]);
  if (request.body !== undefined) return given;
  return [...given, ...[false, true].map((isBehind) => RANGES.map((pair) => countOf(pair, isBehind)))];
}
