// Probes the details of rows: the fields that rows of the list lack, and that a call for each row brings (`hydrate`).

import { claimOf, type Evidence, type EvidenceRow } from '../../../../source/checks/claim.ts';
import { describeExchange, listPlace } from '../../../../source/checks/evidence/ask.ts';
import { concludeAt, type Findings } from '../../../../source/checks/evidence/finding.ts';
import { plural } from '../../../../kernel/plural.ts';
import { otherFields, recordsTwice } from './single-record.ts';

/** How many rows are asked for their details. */
const ROWS_TRIED = 6;

/** Checks that the details of some rows exist, and are the same each time. */
async function checkDetails(evidence: Evidence): Promise<Findings> {
  const { ask } = evidence;
  const conclude = concludeAt(
    'row details',
    'the details of a row are the same each time',
    listPlace(ask, 'hydrate'),
  );
  const seen = new Map<string, EvidenceRow>();
  for (const { id } of recordsTwice(evidence, ROWS_TRIED)) {
    const exchange = await ask.details(id);
    if (exchange === undefined) continue;
    const { value } = exchange;
    if (value === undefined) {
      const what =
        exchange.problem === undefined ? 'a row of the list is not found' : describeExchange(exchange);
      return conclude('differs', what, 'hydrate: the request, `item`, and the outcomes', exchange);
    }
    const before = seen.get(id);
    const others = before === undefined ? [] : otherFields(before, value, ask.detailFields);
    if (others.length > 0)
      return conclude(
        'differs',
        `other values the second time: ${others.join(', ')}`,
        `hydrate.map, of ${others.join(', ')}; or no such field, if the source does not always give it`,
        exchange,
      );
    seen.set(id, value);
  }
  return seen.size === 0 ? undefined : conclude('agrees', `${plural(seen.size, 'row')}, twice`);
}

/** The claim about the detail fetch, for a list whose rows lack fields. */
export const rowDetailsClaim = claimOf('row details', checkDetails);
