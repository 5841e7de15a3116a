// Puts changed configurations in force while requests are served, for a gateway of one process and for a primary.

import type { ReloadRequest } from '../../admin/actions/config-actions.ts';
import type { ActionValue } from '../../admin/api/action-table.ts';
import type { ReloadAnswer } from '../../admin/api/config-action-specs.ts';
import type { Overview } from '../../admin/api/metric-specs.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import { describeConfig, shownFiles } from './describe-config.ts';
import { readNextConfig, type NextConfig, problemsOf } from './next-config.ts';
import type { ReloadTarget, SoundConfig } from './reload-outcome.ts';
import { createReloadRecorder, type ReloadRecorderDeps } from './reload-recorder.ts';
import { configDigest } from './snapshot.ts';

/** The reloader of one gateway, which makes one reload at a time. */
export type Reloader = ReturnType<typeof createReloader>;

/** How a process reads its configuration again, whether it has workers or not. */
export type Reloading = {
  /** Reads the files, and checks them as `portico check` does. Rejects with a ConfigError that has every problem. */
  readonly read: () => Promise<SoundConfig>;
  /** Stores a configuration that has come into force, for the next start. Never throws. */
  readonly keep?: ((config: SoundConfig) => void) | undefined;
  /** Whether the first configuration is an older one, because the files were refused at the start. */
  readonly isFallback?: boolean | undefined;
  /** Called with each configuration that comes into force, the first one included. */
  readonly onInForce?: ((config: SoundConfig) => void) | undefined;
  /** Called at the start and after each reload; `isStale` says whether the files were refused. */
  readonly onStale?: ((isStale: boolean) => void) | undefined;
};

/** What a reloader needs. `first` is in force already. `target` is this process, or all workers of a primary. */
export type ReloaderDeps = Reloading &
  Omit<ReloadRecorderDeps, 'inForce'> & {
    readonly first: SoundConfig;
    readonly target: ReloadTarget;
    /** Whether the gateway is draining. Then no configuration is applied, because nothing would close its parts any more. */
    readonly draining: () => boolean;
  };

/** How long a reload waits for processes to confirm it, if the request does not say. */
const WAIT_MS = 5_000;
/** How many texts of replaced configurations are kept, to show what a reload has changed. */
const REVISIONS_MAX = 10;
/** How long a view of the configuration waits for a process that hangs. */
const VIEW_MS = 1_000;

/** Creates the reloader of one gateway. */
export function createReloader({ first, target, draining, ...deps }: ReloaderDeps) {
  const { read, keep, onInForce, isFallback = false, ...recorded } = deps;
  const oneByOne = createSerialQueue();
  const report = createReloadRecorder({ ...recorded, inForce: () => target.inForce }, isFallback);
  // The only reference to the first configuration, because a replaced configuration must be freed, with its secrets.
  let inForce = first;
  /** The texts of earlier revisions, without their secrets. */
  let earlier: readonly ActionValue<'config.revision'>[] = [];
  if (!isFallback) keep?.(first);
  onInForce?.(first);

  async function refuse(
    request: ReloadRequest,
    problems: readonly string[],
    resets: readonly string[] = [],
  ): Promise<ReloadAnswer> {
    if (request.dryRun !== true) report.refused(request, problems);
    const acknowledged = await target.acknowledged(request.waitMs ?? WAIT_MS);
    return { kind: 'refused', ...target.inForce, changes: [], problems, resets, ...acknowledged };
  }

  async function apply(
    request: ReloadRequest,
    { next, changes, resets }: Extract<NextConfig, { kind: 'sound' }>,
  ): Promise<ReloadAnswer> {
    if (draining()) throw new Error('the gateway is draining');
    const { rev, digest: before } = target.inForce;
    const staged = await target.stage(next);
    // Before the first process serves it, so that what fails because of it is not told to have failed before it.
    const at = new Date().toISOString();
    const acknowledged = await staged.apply(request.waitMs ?? WAIT_MS);
    earlier = [{ rev, files: shownFiles(inForce) }, ...earlier.slice(0, REVISIONS_MAX - 1)];
    inForce = next;
    keep?.(next);
    onInForce?.(next);
    report.applied({ ...request, at }, before, { changes, resets });
    return { kind: 'applied', ...target.inForce, changes, resets, ...acknowledged };
  }

  async function reloadOnce(request: ReloadRequest): Promise<ReloadAnswer> {
    const found = await readNextConfig(read, inForce, request.force === true, target.migrations);
    if (found.kind === 'unsound') return refuse(request, found.problems, found.resets);
    const isUnchanged = configDigest(found.next) === target.inForce.digest;
    if (request.dryRun !== true && !isUnchanged)
      return apply(request, found).catch((error: unknown) => refuse(request, problemsOf(error)));
    if (request.dryRun !== true) {
      keep?.(found.next);
      report.unchanged(request);
    }
    const acknowledged = await target.acknowledged(request.waitMs ?? WAIT_MS);
    const kind = isUnchanged ? 'unchanged' : 'dry-run';
    const { changes, resets } = found;
    return { kind, ...target.inForce, changes, resets, ...acknowledged };
  }

  const status = () => ({ ...target.inForce, ...(report.stale && { stale: report.stale }) });

  return {
    /** The description of the configuration in force for operators. Never rejects. */
    view: async () => {
      const acknowledged = await target.acknowledged(VIEW_MS);
      return describeConfig(inForce, status(), report, acknowledged);
    },
    /** The last reloads, the newest first. */
    reloads: () => report.history,
    /** The texts of the revision in force and of earlier revisions, the newest first. */
    revisions: () => [{ rev: target.inForce.rev, files: shownFiles(inForce) }, ...earlier],
    /** Reads, checks and compares the files, and puts them in force as a whole or not at all. Never rejects. */
    reload: (request: ReloadRequest) => oneByOne(() => reloadOnce(request)),
    get status(): Overview['config'] {
      return status();
    },
  };
}
