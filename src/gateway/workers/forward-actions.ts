// Carries out the actions of operators for a primary, which has no Redis: it forwards them to its workers.

import type { Logger } from 'pino';
import type { Act } from '../../admin/actions/act.ts';
import { gatheredActions } from '../../admin/actions/requests/merge-worker-requests.ts';
import { ActionRefusal, type ActionResult } from '../../admin/api/action.ts';
import type { ActionInput, ActionName } from '../../admin/api/action-table.ts';
import type { AuditLog, AuditWrite } from '../../store/audit/audit-log.ts';
import type { WorkerCounts, WorkerQuery } from './messages.ts';
import type { HeldCount } from '../../store/cache/purges.ts';
import { type CallerSnapshot, mergeCallers } from '../../telemetry/caller-counts.ts';
import { answersOf, NoAnswerError, type WorkerLink } from './worker-link.ts';

/** Returns the workers that serve at this moment. */
type Serving = () => readonly Pick<WorkerLink, 'ask'>[];

/** How long a primary waits for a worker that carries out an action, or counts something. */
const ACTION_MS = 5_000;
const COUNT_MS = 1_000;
/** The timeout of a live explanation, which asks a source and so may take as long as the deadline of the resource. */
const LIVE_MS = 30_000;

function timeoutOf(name: ActionName, input: unknown): number {
  const isLive = name === 'explain' && (input as ActionInput<typeof name>).live === true;
  return isLive ? LIVE_MS : ACTION_MS;
}

/** Counts the cached entries with a tag in the memory of all workers that answer. */
async function countHeld(serving: Serving, tag: string): Promise<HeldCount> {
  const found = await answersOf<HeldCount>(serving(), { about: 'held', tag }, COUNT_MS);
  const sum = (of: keyof HeldCount) => found.reduce((all, one) => all + one[of], 0);
  return { processes: sum('processes'), answers: sum('answers'), scanCaches: sum('scanCaches') };
}

/** The counts of callers in all workers together. @throws ActionRefusal if a worker does not answer: sums would be too small */
export async function callersOf(serving: Serving): Promise<CallerSnapshot> {
  const asked = serving().map((link) => link.ask({ about: 'callers' }, COUNT_MS) as Promise<CallerSnapshot>);
  const hint = 'look at the log, and ask again';
  if (asked.length === 0) throw new ActionRefusal('unavailable', 'no worker serves', hint);
  const all = await Promise.all(asked).catch((error: unknown) => {
    throw new ActionRefusal('unavailable', (error as Error).message, hint);
  });
  return mergeCallers(all);
}

/** Whether an action is a rollback that affects only the process that carries it out, so that each worker needs it. */
function isLocalRollback(name: ActionName, input: unknown): boolean {
  return name === 'migrations.rollback' && (input as ActionInput<typeof name>).scope === 'local';
}

/**
 * Creates the function that carries out the actions of a primary. It asks one worker, because a change by that worker reaches
 * all processes through Redis. If an action affects only its own process, it asks all workers.
 */
export function createPrimaryAct({
  serving,
  quality,
}: {
  readonly serving: Serving;
  readonly quality: () => Promise<WorkerCounts['quality']>;
}): Act {
  /** Asks all workers, and merges their answers. */
  async function gather(query: Extract<WorkerQuery, { about: 'action' }>): Promise<ActionResult> {
    const results = await answersOf<ActionResult>(serving(), query, ACTION_MS);
    return gatheredActions[query.name]?.(results, query.input) ?? unavailable('no worker answers');
  }

  return async function act(name, input, actor) {
    if (gatheredActions[name] !== undefined) return gather({ about: 'action', name, input, actor });
    if (name === 'quality') return { kind: 'done', value: { sources: await quality() } };
    const held =
      name === 'cache.purge'
        ? await countHeld(serving, (input as ActionInput<'cache.purge'>).tag)
        : undefined;
    const [link] = serving();
    if (link === undefined) return unavailable('no worker serves');
    const query = { about: 'action', name, input, actor, held } as const;
    try {
      if (isLocalRollback(name, input)) await answersOf(serving().slice(1), query, ACTION_MS);
      return (await link.ask(query, timeoutOf(name, input))) as ActionResult;
    } catch (error) {
      return unavailable((error as Error).message);
    }
  };
}

/**
 * Creates the audit log of a primary, whose lines one worker writes. If no worker takes a line, it goes to the log of the
 * primary. If a worker does not answer, it may have written the line, so no other worker is asked and no line is written twice.
 */
export function createPrimaryAudit(serving: Serving, log: Pick<Logger, 'warn'>): Pick<AuditLog, 'record'> {
  return {
    async record(change) {
      let kept: false | 'unknown' = false;
      for (const link of serving()) {
        try {
          return (await link.ask({ about: 'record', change }, ACTION_MS)) as AuditWrite;
        } catch (error) {
          if (!(error instanceof NoAnswerError)) continue;
          kept = 'unknown';
          break;
        }
      }
      log.warn({ audit: true, ...change, kept }, 'audit');
      return 'waiting';
    },
  };
}

function unavailable(reason: string): ActionResult {
  const hint = 'whether it was carried out is not known; look at the log, and repeat it';
  return { kind: 'refused', problem: { code: 'unavailable', reason, hint } };
}
