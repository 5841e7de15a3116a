// Probes windows that are requested by the number of a row or page: the second one, smaller ones, and one that is too large.

import { HIDDEN, KINDS } from './first-number.ts';
import { type Claim, claimOf, type Evidence } from '../../../../source/checks/claim.ts';
import {
  type Ask,
  describeExchange,
  hidesRows,
  idsOf,
  isNumbered,
  isWithinReach,
  listPlace,
  rowsAt,
  sameIds,
  sizeKey,
  sizeOf,
} from '../../../../source/checks/evidence/ask.ts';
import { concludeAt, type Finding, setting } from '../../../../source/checks/evidence/finding.ts';
import { plural } from '../../../../kernel/plural.ts';
import { isDense } from '../../../../source/checks/evidence/walk.ts';

/** Declared sizes besides the largest that are tried. */
const SIZES_TRIED = 4;
const BEYOND_DEPTH = 'it lies beyond window.depthMax';

/** Whether the source gives the second half of its first window if it is asked for windows of half the size. */
async function movesInHalves(ask: Ask, known: readonly string[]): Promise<boolean> {
  const half = Math.floor(sizeOf(ask.list) / 2);
  return sameIds(idsOf(await rowsAt(ask, half, half)), known.slice(half, half * 2));
}

/** Checks that the second window holds the rows behind the first. */
async function checkSecond({ ask, first, sample }: Evidence): Promise<Finding> {
  const size = sizeOf(ask.list);
  const conclude = concludeAt(
    'second window',
    'the window behind the first holds the rows behind it',
    listPlace(ask, 'window'),
  );
  const allInFirst = 'all rows stand in the first window';
  if (!isWithinReach(ask.list, size, size)) return conclude('could not tell', BEYOND_DEPTH);
  if (sample.complete && sample.end !== 'repeats' && sample.records.length <= size)
    return conclude('could not tell', allInFirst);
  const second = await rowsAt(ask, size, size);
  const known = idsOf(first);
  const ids = idsOf(second);
  const again = ids.filter((id) => known.includes(id)).length;
  if (second.value === undefined)
    return conclude('differs', describeExchange(second), 'window: the kind, and what is sent for it', second);
  if (ids.length === 0) return conclude('could not tell', allInFirst);
  if (again === 0) return conclude('agrees', `${plural(ids.length, 'row')}, all of them new`);
  if (again < ids.length)
    return conclude(
      'differs',
      `${plural(again, 'row')} of it came before: the windows are counted otherwise`,
      KINDS,
      second,
    );
  const { total = size, received } = first.value;
  // If a full window comes again, it may hold all rows, or the source ignores the parameter. Smaller windows show which.
  if (total <= size && (received < size || size === 1 || (await movesInHalves(ask, known))))
    return conclude('could not tell', 'all rows may stand in the first window');
  return conclude(
    'differs',
    'the rows of the first window again',
    'the name of the parameter that chooses the window',
    second,
  );
}

/** Checks that a page of a smaller declared size begins and ends where it must. */
async function checkOneSize({ ask, sample }: Evidence, size: number): Promise<Finding> {
  const { window } = ask.list;
  const at = listPlace(ask, 'window', 'sizes');
  const conclude = concludeAt(`size ${size}`, `pages of ${size} rows can be asked for`, at);
  if (!isWithinReach(ask.list, size, size)) return conclude('could not tell', BEYOND_DEPTH);
  if (hidesRows(ask.list) || !isDense(sample)) return conclude('could not tell', HIDDEN);
  const expected = sample.records.slice(size, size * 2).map(({ id }) => id);
  const page = await rowsAt(ask, size, size);
  const ids = idsOf(page);
  const others = window.kind === 'page' ? window.sizes.filter((one) => one !== size) : [];
  const advice = setting(at, others, `take ${size} out of window.sizes`);
  if (page.value === undefined) return conclude('differs', describeExchange(page), advice, page);
  if (expected.length < size) return conclude('could not tell', 'there are too few rows for a second page');
  if (sameIds(ids, expected)) return conclude('agrees', 'the second page holds the rows behind the first');
  if (ids.length !== size)
    return conclude('differs', `${plural(ids.length, 'row')} where ${size} were asked for`, advice, page);
  if (ask.list.order === 'unknown')
    return conclude('could not tell', 'other rows, but the file promises no order');
  return conclude('differs', 'other rows than stand there in pages of another size', advice, page);
}

/** Asks for more rows than the file allows. */
async function checkOver({ ask, first }: Evidence): Promise<Finding> {
  const size = sizeOf(ask.list);
  const key = sizeKey(ask.list);
  const conclude = concludeAt(
    'over the size',
    `no call gives more than ${plural(size, 'row')}`,
    listPlace(ask, 'window', key),
  );
  if (!isWithinReach(ask.list, 0, size + 1)) return conclude('could not tell', BEYOND_DEPTH);
  const over = await rowsAt(ask, 0, size + 1);
  const received = over.value?.received;
  if (received === undefined)
    return conclude('agrees', `${size + 1} rows are refused: ${describeExchange(over)}`);
  if (received > size)
    return conclude(
      'noted',
      `${size + 1} asked for, ${received} given`,
      `a larger window.${key} makes scans cheaper`,
    );
  if (first.value.received < size) return conclude('could not tell', 'there are too few rows');
  return conclude('agrees', `${size + 1} asked for, ${received} given`);
}

/** The claims about numbered windows: the second one, smaller ones, and a larger one than the file declares. */
export function numberedWindowClaims({ list }: Ask): readonly Claim[] {
  const { window } = list;
  if (!isNumbered(window)) return [];
  const others =
    window.kind === 'page' ? window.sizes.filter((size) => size !== sizeOf(list)).sort((a, b) => a - b) : [];
  const step = Math.max(1, Math.ceil(others.length / SIZES_TRIED));
  const sizes = others.filter((_, index) => index % step === 0);
  return [
    claimOf('second window', checkSecond),
    ...sizes.map((size) => claimOf(`size ${size}`, (evidence) => checkOneSize(evidence, size))),
    claimOf('over the size', checkOver),
  ];
}
