// Probes the sorts that a source file declares, in each direction: do all rows come, in the contract's order?

import { sortFieldOf } from '../../../contract/order.ts';
import type { Sort } from '../../../contract/query.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { type Claim, claimOf, type Evidence } from '../../../source/checks/claim.ts';
import {
  type Ask,
  callAt,
  depthOf,
  describeExchange,
  idsOf,
  listPlace,
  type OpenList,
  sameIds,
  sizeOf,
} from '../../../source/checks/evidence/ask.ts';
import { type Advice, concludeAt, type Finding, setting } from '../../../source/checks/evidence/finding.ts';
import { plural } from '../../../kernel/plural.ts';
import { walkRows } from '../../../source/checks/evidence/walk.ts';
import { countUnlisted } from '../../../source/checks/filter.ts';
import { disorder } from '../../../source/checks/order.ts';
import { idAsTiebreak } from '../../../source/checks/evidence/tiebreak.ts';

/** What `disorder` returns if rows that tie are in the wrong order. */
const TIES_OUT_OF_ORDER = 'rows that tie are not in the order of their ids';

/** Reads the last windows of a list whose rows were not all read. Unknown values must stand there. */
async function readTail(ask: Ask, reader: OpenList, total: number): Promise<readonly CanonicalRecord[]> {
  const size = sizeOf(ask.list);
  const last = Math.floor((total - 1) / size) * size;
  const records: CanonicalRecord[] = [];
  for (const firstRow of [last - size, last]) {
    if (firstRow <= 0) continue;
    const { value } = await reader.ask(callAt(ask, reader, firstRow, size));
    records.push(...(value?.records ?? []));
  }
  return records;
}

const wayOf = ({ descending }: Sort) => (descending ? 'descending' : 'ascending');

/** Advises to remove this direction of the sort. */
function adviceWithout({ list, resource }: Ask, sort: Sort): Advice {
  const column = list.sort?.columns[sort.field];
  const others = column?.directions.filter((way) => way !== wayOf(sort)) ?? [];
  const at = listPlace({ resource }, 'sort', 'columns', sort.field);
  const text = `directions without ${wayOf(sort)}, or no such column`;
  const advice =
    others.length > 0 ? setting([...at, 'directions'], others, text) : setting(at, undefined, text);
  return { ...advice, otherwise: text };
}

/** Advises to make the id the second column if only ties are wrong; if that does not help, to remove this direction. */
function adviceForTies(ask: Ask, sort: Sort): Advice {
  const { list } = ask;
  const [idPath = ''] = [list.map['id']?.from ?? []].flat();
  const idColumn = list.sort?.columns['id']?.column ?? idPath.split('.').at(-1) ?? '';
  const tied = list.sort && idAsTiebreak(list.sort, idColumn);
  const without = adviceWithout(ask, sort);
  if (tied === undefined) return without;
  const sets = [
    { at: listPlace(ask, 'sort', ...tied.at), value: tied.template },
    { at: listPlace(ask, 'sort', 'tiebreak'), value: tied.tiebreak },
  ];
  return { ...without, tries: [{ sets }, ...(without.tries ?? [])] };
}

async function checkSort(evidence: Evidence, sort: Sort): Promise<Finding> {
  const { ask, first: unsorted, sample, callsMax } = evidence;
  const claim = "the contract's order: unknown last, ties by ascending id";
  const conclude = concludeAt(
    `sort ${sort.field} ${wayOf(sort)}`,
    claim,
    listPlace(ask, 'sort', 'columns', sort.field),
  );
  const reader = ask.open({ sort });
  if (reader === undefined)
    return conclude('could not tell', 'Portico does not send sorts with such windows');
  const sorted = await walkRows(ask, reader, { callsMax: Math.max(2, callsMax - 2) });
  const advice = adviceWithout(ask, sort);
  const [first] = sorted.steps;
  if (first === undefined)
    return sorted.refusal === undefined
      ? conclude('could not tell', 'there are no rows')
      : conclude('differs', describeExchange(sorted.refusal), advice, sorted.refusal);
  const total = first.rows.total ?? sample.steps[0]?.rows.total;
  const reachesEnd = !sorted.complete && total !== undefined && total <= depthOf(ask.list);
  const tail = reachesEnd ? await readTail(ask, reader, total) : [];
  const known = new Set(sorted.records.map(({ id }) => id));
  const records = [...sorted.records, ...tail.filter(({ id }) => !known.has(id))];
  const differs = (observed: string, how = advice) => conclude('differs', observed, how, first.exchange);
  if (sorted.repeated > 0)
    return differs(`${plural(sorted.repeated, 'record')} came twice in the walk`, {
      ...adviceForTies(ask, sort),
      otherwise: `${advice.otherwise ?? ''}; or a sort that ends with the id, if the source takes several columns`,
    });
  const wrong = disorder(records, sort, sortFieldOf(ask.resource.itemFields, sort));
  if (wrong !== undefined)
    return differs(
      sameIds(idsOf(first.exchange), idsOf(unsorted))
        ? 'the sort is ignored: the same rows as without it'
        : wrong,
      wrong === TIES_OUT_OF_ORDER ? adviceForTies(ask, sort) : advice,
    );
  const unlisted = await countUnlisted(evidence, sorted);
  if (unlisted > 0)
    return concludeAt(
      `rows of sort ${sort.field} ${wayOf(sort)}`,
      'the list without a sort has every row',
      listPlace(ask, 'window'),
    )(
      'differs',
      `${plural(unlisted, 'row')} came with a sort that the list without one does not have`,
      'window: where the first one begins, and whether the last one is whole; or a constant parameter that lists all rows',
      first.exchange,
    );
  const missing =
    sorted.complete && sample.repeated === 0 ? sample.records.filter(({ id }) => !known.has(id)).length : 0;
  if (missing > 0) return differs(`${plural(missing, 'record')} did not come`);
  if (records.length < 2) return conclude('could not tell', 'there are too few rows');
  const where = sorted.complete ? '' : ', from the start and the end';
  return conclude('agrees', `${plural(records.length, 'row')} in order${where}`);
}

/** A claim for each declared sort in each declared direction. */
export function sortClaims({ resource, list }: Ask): readonly Claim[] {
  return Object.entries(list.sort?.columns ?? {}).flatMap(([field, { directions }]) =>
    resource.itemFields.some(({ name }) => name === field)
      ? directions.map((way) =>
          claimOf(`sort ${field} ${way}`, (evidence) =>
            checkSort(evidence, { field, descending: way === 'descending' }),
          ),
        )
      : [],
  );
}
