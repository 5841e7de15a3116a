import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { ConfigTexts } from '../config/load.ts';
import type { ResourceQuality } from '../pipeline/quality.ts';
import type { PermitMessage } from './permits.ts';

/** What a primary wants to know of a worker, or to have done by it. */
export type Question =
  | { readonly about: 'state' | 'counts' }
  /** Has every process forget what carries the tag. */
  | { readonly about: 'purge'; readonly tag: string };

/** The metrics of a process as prom-client tells them. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What a worker has counted. */
export type Counts = { readonly metrics: MetricValues; readonly quality: readonly ResourceQuality[] };

/** Whether what a worker depends on works; the answer to `state`. */
export type WorkerState = {
  readonly checks: readonly { readonly name: string; readonly ready: boolean; readonly needed: boolean }[];
};

/** From the primary to a worker. */
export type ToWorker =
  | {
      readonly kind: 'setup';
      readonly texts: ConfigTexts;
      /** Whether it must not serve before everything works that it needs. */
      readonly onlyReady: boolean;
    }
  | { readonly kind: 'leave'; readonly othersListen: boolean }
  | { readonly kind: 'ask'; readonly number: number; readonly question: Question }
  | PermitMessage;

/** From a worker to the primary. */
export type FromWorker =
  | { readonly kind: 'online' }
  | { readonly kind: 'serving'; readonly port: number }
  /** It cannot serve, and ends. */
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'answer'; readonly number: number; readonly value?: unknown; readonly problem?: string }
  /** It has served to its end. */
  | { readonly kind: 'left'; readonly counts: Counts }
  | PermitMessage;

/** One side of a line between two processes. */
export type Line<Sent, Received> = {
  /** Resolves once the message is on its way, also where nobody is there any more to take it. */
  send(message: Sent): Promise<void>;
  onMessage(listener: (message: Received) => void): void;
};

/** A worker's line to its primary. */
export type PrimaryLine = Line<FromWorker, ToWorker>;

/** How a process ended. */
export type Ending = { readonly code: number | null; readonly signal: string | null };

/** A worker as its primary sees it. */
export type WorkerProcess = Line<ToWorker, FromWorker> & {
  /** Of all workers that ever were. */
  readonly id: number;
  readonly pid: number | undefined;
  onExit(listener: (ending: Ending) => void): void;
  /** Ends it at once (SIGKILL). */
  kill(): void;
};
