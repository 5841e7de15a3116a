// Carries out the actions of the operator's listener, for its routes and for commands that work on Redis without a gateway,
// and writes what they change to the audit.

import type { RedisRole } from '../../config/schema/redis.ts';
import type { AuditChange } from '../../store/audit/audit-entry.ts';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import type { HeldCount } from '../../store/cache/purges.ts';
import { redisHint } from '../../store/redis/health/redis-hint.ts';
import { plainRedisError } from '../../store/redis/redis.ts';
import { plainCause } from '../../kernel/plain-cause.ts';
import { type ActionResult, ActionRefusal, type ActionSpec, type Actor } from '../api/action.ts';
import { type ActionInput, type ActionName, actionSpecs, type ActionValue } from '../api/action-table.ts';

/**
 * Carries out an action of the table, whose input has been checked. It rejects if the gateway itself fails. `held` says how
 * many entries with the tag to purge are in the memory of all processes, if the caller has counted them.
 */
export type Act = (name: ActionName, input: unknown, actor: Actor, held?: HeldCount) => Promise<ActionResult>;

type Changed = Pick<AuditChange, 'target' | 'before' | 'after'>;

/**
 * Who asked, what was counted before, and the function by which a handler tells the audit what it has changed. Only the last
 * note is kept. Without a note the audit names no target.
 */
export type ActionContext = {
  readonly actor: Actor;
  readonly held?: HeldCount | undefined;
  readonly note: (changed: Changed) => void;
};

/** The functions that carry out actions, by name. They throw an `ActionRefusal` if they cannot. */
export type ActionHandlers = {
  readonly [Name in ActionName]?: (
    input: ActionInput<Name>,
    context: ActionContext,
  ) => ActionValue<Name> | Promise<ActionValue<Name>>;
};

type Handler = (input: unknown, context: ActionContext) => unknown;

function reasonOf(input: unknown): string | undefined {
  const { reason } = Object(input) as { reason?: unknown };
  return typeof reason === 'string' ? reason : undefined;
}

/** What went wrong, in a few words. The message of an unknown error is left out, because it may contain anything. */
function outcomeOf(error: unknown): string {
  return error instanceof ActionRefusal ? `refused: ${error.message}` : 'failed';
}

/** Who asks, in the fields of the audit. */
export function auditActor({ name, role, address }: Actor): Pick<AuditChange, 'actor' | 'role' | 'address'> {
  return { actor: name, role, ...(address !== undefined && { address }) };
}

/**
 * What `createAct` needs besides the handlers. A gateway chains two `Act`s: the first has no `audit`, because the reloader
 * itself writes the line of a reload; its `otherwise` is the second, whose actions are audited.
 */
export type ActDeps = {
  /** Gets a line for every change, and every attempt at one; absent: the handlers write their own lines. */
  readonly audit?: Pick<AuditLog, 'record'> | undefined;
  /** Carries out the actions that the handlers do not have. */
  readonly otherwise?: Act | undefined;
};

/** Carries out the actions that `handlers` has, and gives all others to `otherwise`. */
export function createAct(handlers: ActionHandlers, { audit, otherwise }: ActDeps): Act {
  return async function act(name, input, actor, held): Promise<ActionResult> {
    const handler = handlers[name] as Handler | undefined;
    if (handler === undefined && otherwise !== undefined) return otherwise(name, input, actor, held);
    const { role }: ActionSpec = actionSpecs[name];
    let changed: Changed = { target: '' };
    const record = async (outcome: string) => {
      // An action that only reads gets a line only if its handler has made a note, such as that it asks a source.
      if (role === 'viewer' && changed.target === '') return;
      const { target, before, after } = changed;
      const about = { action: name, target, before, after, reason: reasonOf(input), outcome };
      await audit?.record({ ...auditActor(actor), ...about });
    };
    try {
      if (handler === undefined)
        throw new ActionRefusal('not_found', `this gateway has no action ${name}`, 'look at its version');
      const value = await handler(input, { actor, held, note: (next) => (changed = next) });
      await record('done');
      return { kind: 'done', value };
    } catch (error) {
      await record(outcomeOf(error));
      if (error instanceof ActionRefusal) return { kind: 'refused', problem: error.problem };
      throw error;
    }
  };
}

/** Does some work, and turns a failure of Redis into a refusal that names its `role`. @throws ActionRefusal */
export async function refuseIfRedisFails<T>(role: RedisRole, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ActionRefusal) throw error;
    const { message } = plainRedisError(error);
    const reason = `the Redis of the role ${role} failed: ${plainCause(error)}`;
    const hint = redisHint(message) ?? 'look at /readyz and at that Redis, and repeat it once Redis is back';
    throw new ActionRefusal('unavailable', reason, hint);
  }
}
