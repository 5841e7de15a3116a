// Looks for records that the list of a source does not have, although they can be asked for by their id.

import { claimOf, type Evidence } from '../../../../source/checks/claim.ts';
import {
  type Ask,
  type Exchange,
  getPlace,
  hidesRows,
  listPlace,
} from '../../../../source/checks/evidence/ask.ts';
import { concludeAt, type Findings } from '../../../../source/checks/evidence/finding.ts';
import { plural } from '../../../../kernel/plural.ts';
import { walkAgain } from '../../../../source/checks/evidence/walk.ts';
import { WHOLE_LIST } from '../whole-list.ts';

/** How many ids are tried that are missing between those of the list. */
const GAPS_TRIED = 5;
/** How far behind the last number of the list records are looked for. */
const BEHIND = [1, 2, 3, 4, 5, 7, 12];

/** The numbers of the ids in ascending order; none if an id is no number. */
function numbersOf({ ask, sample: { records } }: Evidence): readonly number[] {
  const numbers = records.flatMap(({ id }) => {
    const digits = id.slice(ask.resource.idStart.length);
    return /^\d{1,15}$/.test(digits) ? [Number(digits)] : [];
  });
  return numbers.length < records.length ? [] : numbers.sort((a, b) => a - b);
}

/** Asks for the records with some numbers one by one, and returns those that exist. */
async function recordsAt(ask: Ask, numbers: readonly number[]) {
  const found: { readonly id: string; readonly exchange: Exchange<unknown> }[] = [];
  for (const number of numbers) {
    const id = `${ask.resource.idStart}${number}`;
    const exchange = await ask.one(id);
    if (exchange?.value !== undefined) found.push({ id, exchange });
  }
  return found;
}

/** Checks whether the list is cut off: whether records with ids behind its last one exist. */
async function checkBehind({ ask, sample }: Evidence, last: number): Promise<Findings> {
  const { list } = ask;
  if (hidesRows(list) || list.dropWhen.length > 0) return undefined;
  const found = await recordsAt(
    ask,
    BEHIND.map((step) => last + step),
  );
  // Records may have been added since the list was read, so it is read again.
  const again = found.length === 0 ? undefined : await walkAgain(ask, sample);
  if (again === undefined) return undefined;
  const listed = new Set(again.records.map(({ id }) => id));
  const hidden = found.filter(({ id }) => !listed.has(id));
  if (hidden.length === 0 || !again.complete) return undefined;
  return concludeAt('all rows', 'the list has every record', listPlace(ask, 'window'))(
    'differs',
    `${plural(hidden.length, 'record')} with ids behind the last one of the list can be asked for: the list is cut off`,
    WHOLE_LIST,
    ...hidden.map(({ exchange }) => exchange),
  );
}

/** Finds records that the single view has and the list does not. Some services hide inactive records in lists. */
export const hiddenRecordsClaim = claimOf('hidden records', async (evidence) => {
  const { ask, sample } = evidence;
  const numbers = numbersOf(evidence);
  const last = numbers.at(-1);
  if (!sample.complete || last === undefined) return undefined;
  const gaps = numbers.flatMap((number, index) =>
    index > 0 && number - (numbers[index - 1] ?? number) > 1 ? [number - 1] : [],
  );
  const tried = gaps.slice(0, GAPS_TRIED);
  const hidden = (await recordsAt(ask, tried)).map(({ exchange }) => exchange);
  const conclude = concludeAt('hidden records', 'the list has every record', getPlace(ask));
  if (hidden.length > 0)
    return conclude(
      'noted',
      `${hidden.length} of ${plural(tried.length, 'gap')} between the ids ${hidden.length === 1 ? 'is a record' : 'are records'} by itself: the list hides rows, and its total does not count them`,
      'a constant parameter that lists all rows; or get.dropWhen with what hidden ones have',
      ...hidden,
    );
  const behind = await checkBehind(evidence, last);
  if (behind !== undefined || tried.length === 0) return behind;
  return conclude('agrees', `${plural(tried.length, 'gap')} between the ids asked for: no record`);
});
