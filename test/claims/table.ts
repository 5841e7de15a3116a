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
import type { Lie } from './harness/lie.ts';
import type { TableRow } from './harness/row.ts';
import { honestRows, runRow } from './harness/run-row.ts';
import { continuationLies } from './lies/continuation.ts';
import { filterLies } from './lies/filter.ts';
import { graphqlLies } from './lies/graphql.ts';
import { orderLies } from './lies/order.ts';
import { recordLies } from './lies/record.ts';
import { selectionLies } from './lies/selection.ts';
import { sortLies } from './lies/sort.ts';
import { totalLies } from './lies/total.ts';
import { viewLies } from './lies/view.ts';
import { wholeLies } from './lies/whole.ts';
import { windowLies } from './lies/window.ts';
import { tieRows } from './ties/tie-rows.ts';
import { quotingCases } from './values/quoting.ts';
import { rowOf } from './values/run-case.ts';
import { scanCacheCases } from './values/scan-cache.ts';
import { typeCases } from './values/types.ts';
import { variantRows } from './variants/variants.ts';

/** Every lie, by the claim that it breaks. */
export const lies: readonly Lie[] = [
  ...[...totalLies, ...orderLies, ...sortLies, ...filterLies, ...selectionLies],
  ...[...windowLies, ...continuationLies, ...recordLies, ...viewLies, ...wholeLies, ...graphqlLies],
];

const drafts = dialectCases.map((one) => ({ name: nameOf(one), run: runDialect.bind(undefined, one) }));

const files = [...hiddenRuleRows, ...quotedVariableRows, ...loweredCapRows];

/** Every row: honest services, drafts of the dialects, and the lies. */
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
  ...[...honestRows(), ...lies].map((row) => ({
    name: row.name,
    run: async (options: Parameters<TableRow['run']>[0]) => describeOutcome(await runRow(row, options)),
  })),
];
