import { type ActionResult, ActionRefusal, type Actor } from '../api/action.ts';
import type { ActionInput, ActionName } from '../api/specs.ts';

/** Carries out an action of the table. The input has been checked. It rejects where the gateway itself fails. */
export type Act = (name: ActionName, input: unknown, actor: Actor) => Promise<ActionResult>;

/** Who asked, and what for. */
export type ActionContext = { readonly actor: Actor };

/** What carries out actions, by name. It throws an `ActionRefusal` where an action cannot be carried out. */
export type ActionHandlers = {
  readonly [Name in ActionName]?: (input: ActionInput<Name>, context: ActionContext) => unknown;
};

/** Carries out the actions that `handlers` has, and gives all others to `otherwise`. */
export function createAct(handlers: ActionHandlers, otherwise?: Act): Act {
  return async function act(name, input, actor) {
    const handler = handlers[name] as ((input: unknown, context: ActionContext) => unknown) | undefined;
    if (handler === undefined && otherwise !== undefined) return otherwise(name, input, actor);
    try {
      if (handler === undefined)
        throw new ActionRefusal('not_found', `this gateway has no action ${name}`, 'look at its version');
      return { kind: 'done', value: await handler(input, { actor }) };
    } catch (error) {
      if (error instanceof ActionRefusal) return { kind: 'refused', problem: error.problem };
      throw error;
    }
  };
}
