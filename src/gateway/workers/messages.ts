import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Actor } from '../../admin/api/action.ts';
import type { CheckResult } from '../../admin/app.ts';
import type { ActionName } from '../../admin/api/action-table.ts';
import type { AuditChange } from '../../store/audit/audit-entry.ts';
import type { ConfigTexts } from '../../config/load.ts';
import type { ResourceQuality } from '../../pipeline/quality.ts';
import type { Fleet } from '../../store/fleet/fleet.ts';
import type { HeldCount } from '../../store/cache/purges.ts';
import type { IncidentStart } from '../../telemetry/incidents/incident-tracker.ts';
import type { PermitMessage } from './permits/permit-pool.ts';

/** A question or an order of the primary to one worker. */
export type WorkerQuery =
  | { readonly about: 'state' | 'counts' | 'callers' }
  /** What the worker sees of incidents, and since when the fleet has seen those that are open. */
  | { readonly about: 'incidents'; readonly open: readonly IncidentStart[] }
  /** How many answers and scan caches with this tag the worker has in memory. */
  | { readonly about: 'held'; readonly tag: string }
  /** Compiles a configuration, to be put in force by `swap` with the same number. */
  | { readonly about: 'stage'; readonly number: number; readonly texts: ConfigTexts }
  | { readonly about: 'swap' | 'discard'; readonly number: number }
  /** Does something with the fleet for the primary, which has no Redis. */
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

/** The metrics of a process in prom-client's JSON form. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What a worker has counted. */
export type WorkerCounts = { readonly metrics: MetricValues; readonly quality: readonly ResourceQuality[] };

/** What a worker serves, and whether it can reach what it needs. It is the answer to `state` and to `swap`. */
export type WorkerState = {
  /** Of the configuration in force. */
  readonly digest: string;
  readonly checks: readonly CheckResult[];
};

/** From the primary to a worker. */
export type ToWorker =
  | { readonly kind: 'setup'; readonly texts: ConfigTexts }
  | { readonly kind: 'leave' }
  | { readonly kind: 'ask'; readonly number: number; readonly query: WorkerQuery }
  | PermitMessage;

/** From a worker to the primary. */
export type FromWorker =
  | { readonly kind: 'online' }
  | { readonly kind: 'serving'; readonly port: number }
  /** The worker cannot serve, and ends. */
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

/** How a process ended. */
export type ProcessExit = { readonly code: number | null; readonly signal: string | null };

/** A worker as its primary sees it. */
export type WorkerProcess = ProcessChannel<ToWorker, FromWorker> & {
  /** Unique among all workers of this primary, ended ones included. */
  readonly id: number;
  readonly pid: number | undefined;
  onExit(listener: (exit: ProcessExit) => void): void;
  /** Ends the process at once (SIGKILL). */
  kill(): void;
};
