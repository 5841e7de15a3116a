// The messages between a primary and its workers.

import type { Actor } from '../../admin/api/action.ts';
import type { CheckResult } from '../../admin/app.ts';
import type { ActionName } from '../../admin/api/action-table.ts';
import type { AuditChange } from '../../store/audit/audit-entry.ts';
import type { ConfigTexts } from '../../config/load.ts';
import type { ResourceQuality } from '../../pipeline/quality.ts';
import type { Fleet } from '../../store/fleet/fleet.ts';
import type { HeldCount } from '../../store/cache/purges.ts';
import type { MetricsJson } from '../../telemetry/history/metric-sample.ts';
import type { IncidentStart } from '../../telemetry/incidents/incident-tracker.ts';
import type { PermitMessage } from './permits/permit-pool.ts';

/** A question or an order of the primary to one worker. */
export type WorkerQuery =
  | { readonly about: 'state' | 'counts' | 'callers' }
  /** Asks for the incidents that the worker sees. `open`: the open incidents of the fleet, with their beginning. */
  | { readonly about: 'incidents'; readonly open: readonly IncidentStart[] }
  /** Asks how many answers and scan caches with this tag the worker has in memory. */
  | { readonly about: 'held'; readonly tag: string }
  /** Compiles a configuration; `swap` with the same number puts it in force. */
  | { readonly about: 'stage'; readonly number: number; readonly texts: ConfigTexts }
  | { readonly about: 'swap' | 'discard'; readonly number: number }
  /** Calls a function of the fleet for the primary, which has no Redis. */
  | { readonly about: 'fleet'; readonly call: keyof Fleet; readonly with: readonly unknown[] }
  /** Writes a line of the audit for the primary, which has no Redis. */
  | { readonly about: 'record'; readonly change: AuditChange }
  /** Carries out an action of the operator. The input has been checked. */
  | {
      readonly about: 'action';
      readonly name: ActionName;
      readonly input: unknown;
      readonly actor: Actor;
      /** How many entries with the tag to purge are in the memory of all workers. */
      readonly held?: HeldCount | undefined;
    };

/** The metrics of a worker, and its quality reports. */
export type WorkerCounts = { readonly metrics: MetricsJson; readonly quality: readonly ResourceQuality[] };

/** The answer to `state` and to `swap`: which configuration a worker serves, and whether it reaches its Redis. */
export type WorkerState = {
  /** The digest of the configuration that the worker serves. */
  readonly digest: string;
  readonly checks: readonly CheckResult[];
};

/** A message from the primary to a worker. */
export type ToWorker =
  | { readonly kind: 'setup'; readonly texts: ConfigTexts }
  | { readonly kind: 'leave' }
  | { readonly kind: 'ask'; readonly number: number; readonly query: WorkerQuery }
  | PermitMessage;

/** A message from a worker to the primary. */
export type FromWorker =
  | { readonly kind: 'online' }
  | { readonly kind: 'serving'; readonly port: number }
  /** The worker cannot serve, and will end. */
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'answer'; readonly number: number; readonly value?: unknown; readonly problem?: string }
  /** The worker has drained. */
  | { readonly kind: 'left'; readonly counts: WorkerCounts }
  | PermitMessage;

/** One end of a message channel between two processes. */
export type ProcessChannel<Sent, Received> = {
  /** Resolves once the message is sent, also if the other process has ended. */
  send(message: Sent): Promise<void>;
  onMessage(listener: (message: Received) => void): void;
};

/** A worker's channel to its primary. */
export type PrimaryChannel = ProcessChannel<FromWorker, ToWorker>;

/** How a process ended: its exit code, or the signal that ended it. */
export type ProcessExit = { readonly code: number | null; readonly signal: string | null };

/** A worker process, as its primary uses it. */
export type WorkerProcess = ProcessChannel<ToWorker, FromWorker> & {
  /** Unique among all workers of this primary, ended ones included. */
  readonly id: number;
  readonly pid: number | undefined;
  onExit(listener: (exit: ProcessExit) => void): void;
  /** Ends the process at once (SIGKILL). */
  kill(): void;
};
