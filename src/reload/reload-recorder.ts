import type { Logger } from 'pino';
import type { WebhookEvent } from '../telemetry/webhooks/webhook-event.ts';
import type { ConfigChange } from './find-changes.ts';
import type { ReloadRequest, ReloadTarget } from './reload-outcome.ts';

/** Why the configuration in force is not that of the files, and since when. */
export type StaleConfig = {
  readonly since: string;
  readonly why: 'reload refused' | 'started on the last good one';
};

/** What the audit log keeps of a reload. */
export type ReloadRecord = {
  readonly actor: string;
  readonly action: 'config.reload';
  readonly target: string;
  readonly before: { readonly digest: string };
  readonly after: { readonly digest: string; readonly changes: readonly ConfigChange[] };
  readonly reason?: string;
  readonly outcome: 'applied' | 'refused';
};

export type ReloadRecorderDeps = {
  readonly inForce: () => ReloadTarget['inForce'];
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly metrics: {
    reloaded(result: 'applied' | 'unchanged' | 'refused'): void;
    configStale(isStale: boolean): void;
  };
  /** The audit log; absent: there is none. */
  readonly audit?: { record(entry: ReloadRecord): void } | undefined;
  /** Tells receivers of webhooks of a refusal; absent: there are none. */
  readonly tell?: ((event: WebhookEvent) => void) | undefined;
};

/** Tells the outcome of each reload in the log, the metrics and the audit log. */
export type ReloadRecorder = {
  readonly stale: StaleConfig | undefined;
  /** `before` is the digest that was in force. */
  applied(request: ReloadRequest, before: string, changes: readonly ConfigChange[]): void;
  unchanged(request: ReloadRequest): void;
  refused(request: ReloadRequest, problems: readonly string[]): void;
};

/** So many problems are told; the log has all of them. */
const PROBLEMS_MAX = 10;

/** Creates the report. `isFallback`: the first configuration is an older one, because the files were refused. */
export function createReloadRecorder(
  { inForce, log, metrics, audit, tell }: ReloadRecorderDeps,
  isFallback: boolean,
): ReloadRecorder {
  let stale: StaleConfig | undefined;
  setStale(isFallback ? 'started on the last good one' : undefined);

  function setStale(why: StaleConfig['why'] | undefined): void {
    stale = why && { since: stale?.since ?? new Date().toISOString(), why: stale?.why ?? why };
    metrics.configStale(stale !== undefined);
  }

  function record(actor: string, before: string, changes: readonly ConfigChange[], reason?: string): void {
    const { rev, digest } = inForce();
    audit?.record({
      ...{ actor, action: 'config.reload', target: `revision ${rev}` },
      ...{ before: { digest: before }, after: { digest, changes } },
      ...(reason !== undefined && { reason }),
      outcome: reason === undefined ? 'applied' : 'refused',
    });
  }

  return {
    get stale() {
      return stale;
    },
    applied({ actor }, before, changes) {
      metrics.reloaded('applied');
      setStale(undefined);
      const paths = changes.map(({ path }) => path);
      log.info({ actor, ...inForce(), changes: paths }, 'the new configuration is in force');
      record(actor, before, changes);
    },
    unchanged({ actor }) {
      metrics.reloaded('unchanged');
      setStale(undefined);
      log.info({ actor, ...inForce() }, 'the configuration of the files is in force already');
    },
    refused({ actor }, problems) {
      metrics.reloaded('refused');
      setStale('reload refused');
      log.error({ actor, problems }, 'the new configuration is refused; the one before stays in force');
      record(actor, inForce().digest, [], problems[0]);
      const data = { actor, digest: inForce().digest, problems: problems.slice(0, PROBLEMS_MAX) };
      tell?.({ type: 'config.refused', subject: 'config', data });
    },
  };
}
