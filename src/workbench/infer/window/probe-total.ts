import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import { compileTotal } from '../../../source/adapter/read/total.ts';
import { wholeNumber } from '../../../kernel/json/values.ts';
import type { TotalPlace } from '../dialects/dialect.ts';
import type { ListReply } from '../requests/list-reader.ts';
import { readOrUndefined } from '../notes/read-or-undefined.ts';
import { envelopeOf, lastName } from './probe-next.ts';

/** Headers whose numbers count something else than rows. */
const OTHER_HEADER =
  /length|rate|limit|remaining|reset|age|time|version|retry|page|port|status|id$|window|policy/;

const TOTAL_NAME =
  /^(?:(?:odata|_)*(?:total|overall|grand|filtered|matching|table)*(?:rows?|records?|results?|items?)?(?:count|results?|elements|items|hits|records|rows|size|entries|number)|total|numfound|anzahl|gesamt|hits|totalnumber|anzahlgesamt)$/;
const WINDOW_NAME =
  /page|limit|offset|start|size$|perpage|index|skip|current|^length$|^from$|^to$|took|code|status|rc$/;

/** Headers with a number of at least as many as the rows that came, those named like a total first. */
function inHeaders({ reply, rows }: ListReply): readonly TotalPlace[] {
  const range = /\/(\d+)$/.test(reply.header('content-range') ?? '');
  const plain = Object.keys(reply.headers ?? {}).filter((name) => {
    const text = reply.header(name)?.trim() ?? '';
    return /^\d{1,15}$/.test(text) && Number(text) >= rows.length && !OTHER_HEADER.test(name);
  });
  const isNamed = (name: string) => /total|count|records|results|rows|items|hits/.test(name);
  return [
    ...(range ? [{ header: 'Content-Range', pattern: String.raw`/(\d+)$` }] : []),
    ...plain
      .sort((a, b) => Number(isNamed(b)) - Number(isNamed(a)))
      .map((header) => ({ header: header.replaceAll(/(^|-)[a-z]/g, (part) => part.toUpperCase()) })),
  ];
}

/** The total in a reply; `undefined` if there is none, or only a lower bound. */
export function readTotal(place: TotalPlace, { reply, document }: ListReply): number | undefined {
  const read = compileTotal({ counts: 'filtered', ...place }, CHECKED);
  return readOrUndefined(() => read(reply, document));
}

/**
 * The places that may hold the total: numbers outside the rows that are at least the number of rows, and that are equal
 * in another window of the same list.
 */
export function findTotals(listing: ListReply, other: ListReply | undefined): readonly TotalPlace[] {
  const inBody = envelopeOf(listing)
    .filter((leaf) => {
      const name = lastName(leaf);
      const isEnough = (wholeNumber(leaf.value) ?? -1) >= listing.rows.length;
      return isEnough && TOTAL_NAME.test(name) && !WINDOW_NAME.test(name);
    })
    .map(({ path }): TotalPlace => ({ at: path }))
    .sort((a, b) => Number(/total/i.test(b.at ?? '')) - Number(/total/i.test(a.at ?? '')));
  const hal = compilePath('page.totalElements')(listing.document);
  const known: readonly TotalPlace[] = wholeNumber(hal) === undefined ? [] : [{ at: 'page.totalElements' }];
  const places = [...known, ...inBody, ...inHeaders(listing)];
  if (other === undefined) return places;
  return places.filter((place) => readTotal(place, listing) === readTotal(place, other));
}
