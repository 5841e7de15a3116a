// Writes the outcome of each reload to the log, the metrics, the audit log, the webhooks and the history.

import type { Logger } from 'pino';
import type { ReloadRequest } from '../../admin/actions/config-actions.ts';
import type { ConfigDetail } from '../../admin/api/config-action-specs.ts';
import type { Overview } from '../../admin/api/metric-specs.ts';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import type { ConfigMetrics } from '../../telemetry/metrics/config-metrics.ts';
import type { WebhookEvent } from '../../telemetry/webhooks/webhook-message.ts';
import type { ConfigChange } from './find-changes.ts';
import type { ReloadTarget, SoundChange } from './reload-outcome.ts';

/**
 * What the recorder needs. `inForce` is called for each outcome, after the change. `audit` gets a line if the configuration
 * was applied or refused, but not if it was unchanged.
 */
export type ReloadRecorderDeps = {
  readonly inForce: () => ReloadTarget['inForce'];
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly metrics: Pick<ConfigMetrics, 'reloaded' | 'configStale'>;
  /** Called at the start and with each outcome; `isStale` says whether the files were refused. */
  readonly onStale?: ((isStale: boolean) => void) | undefined;
  /** The audit log; absent: there is none. */
  readonly audit?: Pick<AuditLog, 'record'> | undefined;
  /** Tells receivers of webhooks about a refused reload; absent: there are no receivers. */
  readonly tell?: ((event: WebhookEvent) => void) | undefined;
};

/** An entry of the history: a reload, or the start. The newest entry comes first. */
type ReloadEntry = ConfigDetail['reloads'][number];

/** How many problems a webhook and an entry of the history get; the log and the audit get all of them. */
const PROBLEMS_MAX = 10;
const HISTORY_MAX = 50;
/** How many changes of one reload the history keeps; an edit by hand makes a few. */
const CHANGES_MAX = 200;

/** Writes a line about a reload to the audit log. */
function writeAudit(
  { audit, inForce }: Pick<ReloadRecorderDeps, 'audit' | 'inForce'>,
  { actor, role, address, reason, at }: ReloadRequest & { readonly at?: string },
  before: string,
  found: Pick<SoundChange, 'changes'> | { readonly problems: readonly string[] },
  outcome: 'applied' | `refused: ${string}`,
): void {
  const { rev, digest } = inForce();
  void audit?.record({
    ...{ actor, role, address, action: 'config.reload', target: `revision ${rev}` },
    ...(at !== undefined && { at }),
    before: { digest: before },
    after: { digest, ...found },
    reason,
    outcome,
  });
}

/** How many characters of problems one line of the audit gets, because a longer line is cut there. */
const PART_CHARS = 2_500;
/** How many lines the problems of one reload get at most, so that thousands of problems do not push out other lines. */
const PARTS_MAX = 20;

/** Divides problems into parts, one for each line of the audit. */
function partsOf(problems: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let room = 0;
  for (const problem of problems) {
    const text = problem.slice(0, PART_CHARS);
    if (text.length > room) {
      if (parts.length === PARTS_MAX) break;
      parts.push([]);
      room = PART_CHARS;
    }
    parts.at(-1)?.push(text);
    room -= text.length;
  }
  return parts;
}

/** Writes the problems of a refused reload to the audit log, in as many lines as necessary. */
function writeRefusal(
  to: Parameters<typeof writeAudit>[0],
  request: ReloadRequest,
  problems: readonly string[],
): void {
  const parts = partsOf(problems);
  const [first = ''] = problems[0]?.split('\n') ?? [];
  const all = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  parts.forEach((part, index) => {
    const outcome = index === 0 ? first.slice(0, 500) + all : `part ${index + 1} of ${parts.length}`;
    writeAudit(to, request, to.inForce().digest, { problems: part }, `refused: ${outcome}`);
  });
}

/**
 * Creates the recorder. `isFallback`: the first configuration is an older one, because the files were refused at the start.
 */
export function createReloadRecorder(deps: ReloadRecorderDeps, isFallback: boolean) {
  const { inForce, log, metrics, onStale, tell } = deps;
  // Not all of `deps`, because everything else that the caller has put there would live as long as the gateway.
  const audited = { audit: deps.audit, inForce };
  let stale: Overview['config']['stale'];
  let history: readonly ReloadEntry[] = [];
  let since = keep('start', 'started').at;
  let lastChange: readonly ConfigChange[] = [];
  setStale(isFallback ? 'started on the last good one' : undefined);

  function keep(by: string, outcome: ReloadEntry['outcome'], about: Partial<ReloadEntry> = {}) {
    const { rev, digest } = inForce();
    const changes = about.changes?.slice(0, CHANGES_MAX) ?? [];
    const entry = { at: new Date().toISOString(), by, outcome, rev, digest, ...about, changes };
    history = [entry, ...history.slice(0, HISTORY_MAX - 1)];
    return entry;
  }

  function setStale(why: 'reload refused' | 'started on the last good one' | undefined): void {
    stale = why && { since: stale?.since ?? new Date().toISOString(), why: stale?.why ?? why };
    metrics.configStale(stale !== undefined);
    onStale?.(stale !== undefined);
  }

  return {
    get stale() {
      return stale;
    },
    get history() {
      return history;
    },
    /** Since when the configuration is in force, as an instant in UTC. */
    get since() {
      return since;
    },
    /** The changes that the configuration in force brought. */
    get lastChange() {
      return lastChange;
    },
    /** `at`: when it came into force. */
    applied(
      request: ReloadRequest & { readonly at: string },
      digestBefore: string,
      change: SoundChange,
    ): void {
      const { actor } = request;
      const { changes, resets } = change;
      metrics.reloaded('applied');
      setStale(undefined);
      const paths = changes.map(({ path }) => path);
      log.info({ actor, ...inForce(), changes: paths }, 'the new configuration is in force');
      writeAudit(
        audited,
        request,
        digestBefore,
        { changes, ...(resets.length > 0 && { resets }) },
        'applied',
      );
      since = keep(actor, 'applied', { changes, at: request.at }).at;
      lastChange = changes;
    },
    unchanged({ actor }: ReloadRequest): void {
      metrics.reloaded('unchanged');
      setStale(undefined);
      log.info({ actor, ...inForce() }, 'the configuration of the files is in force already');
      keep(actor, 'unchanged');
    },
    refused(request: ReloadRequest, problems: readonly string[]): void {
      const { actor } = request;
      metrics.reloaded('refused');
      log.error({ actor, problems }, 'the new configuration is refused; the one before stays in force');
      writeRefusal(audited, request, problems);
      setStale('reload refused');
      keep(actor, 'refused', { problems: problems.slice(0, PROBLEMS_MAX) });
      const data = { actor, digest: inForce().digest, problems: problems.slice(0, PROBLEMS_MAX) };
      tell?.({ type: 'config.refused', subject: 'config', data });
    },
  };
}
