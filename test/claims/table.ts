import { orderBetRows } from './bets/order-bets.ts';
import { tiebreakRows } from './bets/tiebreak-rows.ts';
import { dialectCases } from '../support/dialects/cases.ts';
import { hiddenRuleRows } from './files/hidden-rules.ts';
import { loweredCapRows } from './files/lowered-caps.ts';
import { quotedVariableRows } from './files/quoted-variables.ts';
import { visitorRows } from './credential/visitors.ts';
import { editRows } from './drafts/edits.ts';
import { formRows } from './drafts/forms.ts';
import { ghostRows } from './drafts/ghosts.ts';
import { guessRows } from './drafts/guesses.ts';
import { fieldRows } from './fields/field-rows.ts';
import { describeOutcome } from './harness/describe-outcome.ts';
import { nameOf, runDialect } from './harness/dialect-row.ts';
import type { FaultyService } from './harness/faulty-services.ts';
import type { TableRow } from './harness/row.ts';
import { correctRows, runRow } from './harness/run-row.ts';
import { faultyContinuations } from './faulty/continuation.ts';
import { faultyFilters } from './faulty/filter.ts';
import { faultyGraphql } from './faulty/graphql.ts';
import { faultyOrders } from './faulty/order.ts';
import { faultyRecords } from './faulty/record.ts';
import { faultySelections } from './faulty/selection.ts';
import { faultySorts } from './faulty/sort.ts';
import { faultyTotals } from './faulty/total.ts';
import { faultyViews } from './faulty/view.ts';
import { faultyWholeLists } from './faulty/whole.ts';
import { faultyWindows } from './faulty/window.ts';
import { tieRows } from './ties/tie-rows.ts';
import { quotingCases } from './values/quoting.ts';
import { rowOf } from './values/run-case.ts';
import { scanCacheCases } from './values/scan-cache.ts';
import { typeCases } from './values/types.ts';
import { variantRows } from './variants/variants.ts';

/** Every faulty service, by the claim that it breaks. */
export const faultyRows: readonly FaultyService[] = [
  ...[...faultyTotals, ...faultyOrders, ...faultySorts, ...faultyFilters, ...faultySelections],
  ...[
    ...faultyWindows,
    ...faultyContinuations,
    ...faultyRecords,
    ...faultyViews,
    ...faultyWholeLists,
    ...faultyGraphql,
  ],
];

const drafts = dialectCases.map((one) => ({ name: nameOf(one), run: runDialect.bind(undefined, one) }));

const files = [...hiddenRuleRows, ...quotedVariableRows, ...loweredCapRows];

/** Every row: correct services, drafts of the dialects, and faulty services. */
export const table: readonly TableRow[] = [
  ...drafts,
  ...tieRows,
  ...[...typeCases, ...quotingCases, ...scanCacheCases].map(rowOf),
  ...orderBetRows,
  ...files,
  ...visitorRows,
  ...tiebreakRows,
  ...[...guessRows, ...formRows, ...ghostRows, ...editRows],
  ...fieldRows,
  ...variantRows,
  ...[...correctRows(), ...faultyRows].map((row) => ({
    name: row.name,
    run: async (options: Parameters<TableRow['run']>[0]) => describeOutcome(await runRow(row, options)),
  })),
];
