// Finds the numbers in a reply that may be the total of a list: for `infer`, and for `doctor` if a source file does not name
// its total.

import type { ListSpec } from '../../../config/schema/source.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { wholeNumber } from '../../../kernel/json/values.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { envelopeOf, lastName } from './document-leaves.ts';

/** A whole number of a reply outside its rows. */
export type StatedNumber = {
  readonly place: Pick<NonNullable<ListSpec['total']>, 'at' | 'header' | 'pattern'>;
  readonly count: number;
  /** Whether its name is one of those that totals usually have. */
  readonly isNamed: boolean;
};

/** Names of headers whose numbers do not count rows. */
const OTHER_HEADER =
  /length|rate|limit|remaining|reset|age|time|version|retry|page|port|status|id$|window|policy/;
const TOTAL_HEADER = /total|count|records|results|rows|items|hits/;
/** Usual names of totals. The length is checked first, because backtracking in a name of 50 KB takes 25 ms. */
const TOTAL_NAME =
  /^(?=.{1,80}$)(?:(?:odata|_)*(?:total|overall|grand|filtered|matching|table)*(?:rows?|records?|results?|items?)?(?:count|results?|elements|items|hits|records|rows|entries|number)|total|numfound|anzahl|anz|gesamt|hits|totalnumber|anzahlgesamt)$/;

/** A longer text of digits is a code, not a number of rows. */
const DIGITS_MAX = 9;

/** A sort order: the items that pass a test come first. */
const firstBy =
  <T>(isFirst: (one: T) => boolean) =>
  (a: T, b: T) =>
    Number(isFirst(b)) - Number(isFirst(a));

function inHeaders(reply: UpstreamReply): readonly StatedNumber[] {
  const range = /\/(\d{1,9})$/.exec(reply.header('content-range') ?? '')?.[1];
  const plain = Object.keys(reply.headers ?? {}).flatMap((name) => {
    const text = reply.header(name)?.trim() ?? '';
    if (!/^\d{1,9}$/.test(text) || OTHER_HEADER.test(name)) return [];
    const header = name.replaceAll(/(^|-)[a-z]/g, (part) => part.toUpperCase());
    return [{ place: { header }, count: Number(text), isNamed: true, isTotal: TOTAL_HEADER.test(name) }];
  });
  return [
    ...(range === undefined
      ? []
      : [{ place: { header: 'Content-Range', pattern: '/(\\d+)$' }, count: Number(range), isNamed: true }]),
    ...plain.sort(firstBy(({ isTotal }) => isTotal)),
  ];
}

function inBody(body: Json): readonly StatedNumber[] {
  const numbers = envelopeOf(body).flatMap((leaf) => {
    const { path: at, value } = leaf;
    const isCode = typeof value === 'string' && value.length > DIGITS_MAX;
    const count = isCode ? undefined : wholeNumber(value);
    return count === undefined ? [] : [{ place: { at }, count, isNamed: TOTAL_NAME.test(lastName(leaf)) }];
  });
  return numbers.sort(firstBy(({ isNamed, place }) => isNamed && /total/i.test(place.at)));
}

/** The whole numbers of a reply outside its rows. Those that are named like a total come first. */
export function statedNumbers(reply: UpstreamReply, body: Json): readonly StatedNumber[] {
  return [...inBody(body), ...inHeaders(reply)].sort(firstBy(({ isNamed }) => isNamed));
}
