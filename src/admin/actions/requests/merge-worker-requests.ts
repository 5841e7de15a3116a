// Merges what several workers answer to the actions on requests. The primary process uses it, because each worker knows only
// the requests that it has answered itself.

import type { ActionResult } from '../../api/action.ts';
import type { ActionInput, ActionName, ActionValue } from '../../api/action-table.ts';
import { limitOf, newestOf } from './request-actions.ts';

/** Merges the results of all workers; `undefined` if none has answered. */
type Gather = (results: readonly ActionResult[], input: unknown) => ActionResult | undefined;

function valuesOf<Name extends ActionName>(results: readonly ActionResult[]): readonly ActionValue<Name>[] {
  return results.flatMap((result) => (result.kind === 'done' ? [result.value as ActionValue<Name>] : []));
}

/** The requests that all workers know, each once. */
function gatherRequests(results: readonly ActionResult[], input: unknown): ActionResult | undefined {
  const all = valuesOf<'requests'>(results);
  const [first] = all;
  if (first === undefined) return results[0];
  const isFleet = all.some(({ scope }) => scope === 'fleet');
  const value: ActionValue<'requests'> = {
    scope: isFleet ? 'fleet' : 'workers',
    since: all.map(({ since }) => since).sort()[0] ?? first.since,
    until: first.until,
    completeSince: all
      .flatMap((one) => one.completeSince ?? [])
      .sort()
      .at(-1),
    slowMs: first.slowMs,
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
    requests: newestOf(
      all.flatMap(({ requests }) => requests),
      limitOf(input as ActionInput<'requests'>),
    ),
  };
  return { kind: 'done', value };
}

/** The request as a worker knows it, if possible the worker that answered it, because that one knows most. */
function gatherRequest(results: readonly ActionResult[]): ActionResult | undefined {
  const found = valuesOf<'request'>(results);
  const best = found.find(({ scope }) => scope === 'process') ?? found[0];
  return best === undefined ? results[0] : { kind: 'done', value: best };
}

/** The actions that are sent to all workers, with the functions that merge their answers. */
export const gatheredActions: Readonly<Partial<Record<ActionName, Gather>>> = {
  requests: gatherRequests,
  request: gatherRequest,
};
