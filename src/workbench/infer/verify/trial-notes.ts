// Tells the operator of `infer` which requests the draft cannot answer yet, as notes in the draft.

import { claimPlace } from '../../../source/adapter/spec/capability.ts';
import type { CompiledSource } from '../../../source/compile-sources.ts';
import { type DraftNote, toEdit } from '../notes/note.ts';
import { type DraftTrial, isOverBudget } from './try-draft.ts';

/** What to change if a scan goes over its budget, with the numbers that were seen. */
function budgetText({ request, reason = '', calls }: DraftTrial, { source }: CompiledSource): string {
  const { rows, calls: callsMax, time } = source.spec.budget;
  const bounds = `rows: ${rows}, calls: ${callsMax}, time: ${time / 1_000}s`;
  return `${request} is not answered (${reason}) after ${calls} calls, within ${bounds}: raise the bound that is named (if it is time, also raise the deadline of the resource in the gateway file); or declare a filter, a sort or a total that the service has, so that no scan is needed; or set window.checkpoints, if each window names the next one`;
}

function noteOf(trial: DraftTrial, compiled: CompiledSource): readonly DraftNote[] {
  const { request, status, reason = '', contradicted } = trial;
  const place = ['resources', compiled.resource.name];
  const claims = contradicted.map((capability) => ({
    at: claimPlace(compiled.resource.name, capability),
    ...toEdit(
      `the replies to ${request} contradict it: remove the claim, or change the request that asks for it`,
    ),
  }));
  if (status === 200) return claims;
  if (isOverBudget(trial)) return [...claims, { at: ['budget'], ...toEdit(budgetText(trial, compiled)) }];
  const isSingle = !request.includes('?');
  const text = `${request} is answered with ${status}${reason === '' ? '' : ` (${reason})`}`;
  return [...claims, { at: [...place, isSingle ? 'get' : 'list'], ...toEdit(text) }];
}

/** What the operator has to do about requests that a draft does not answer: one note for each place. */
export function trialNotes(trials: readonly DraftTrial[], compiled: CompiledSource): readonly DraftNote[] {
  const notes = trials.flatMap((trial) => noteOf(trial, compiled));
  const places = notes.map(({ at }) => at.join('\n'));
  return notes.filter((_, index) => places.indexOf(places[index] ?? '') === index);
}
