// Watches the configuration files for changes, so that a gateway can reload by itself.

import { type FSWatcher, watch } from 'node:fs';

/** What the watch needs. By default it waits for half a second of quiet, and compares the texts every 30 seconds. */
export type ConfigWatchDeps = {
  /** The folders whose files are read. */
  readonly folders: () => readonly string[];
  /** Returns a digest of all texts on disk; `undefined` if they cannot be read. */
  readonly fingerprint: () => string | undefined;
  /** Returns the digest of the texts in force; `undefined` after a refusal, so that a return to these texts is noticed, too. */
  readonly fingerprintInForce: () => string | undefined;
  /** Called when the texts have changed. The next call begins only after the promise has settled. */
  readonly onChange: () => Promise<unknown>;
  /** Called if a folder cannot be watched, so that changes in it are found only every `pollMs`. */
  readonly onUnwatched: (folder: string, problem: string) => void;
  /** For how many milliseconds nothing must happen in the folders before they are read. */
  readonly quietMs?: number;
  /** After how many milliseconds the texts are compared even if no change was noticed. */
  readonly pollMs?: number;
};

const QUIET_MS = 500;
const POLL_MS = 30_000;

/** Watches some folders, and calls `note` whenever something happens in one of them. */
function createFolderWatch({ folders, onUnwatched }: ConfigWatchDeps, note: () => void) {
  let watchers: readonly FSWatcher[] = [];

  function close(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  function watchFolder(folder: string): readonly FSWatcher[] {
    const report = (error: unknown) =>
      onUnwatched(folder, error instanceof Error ? error.message : 'unknown');
    try {
      const watcher = watch(folder, { persistent: false }, note);
      watcher.on('error', report);
      return [watcher];
    } catch (error) {
      report(error);
      return [];
    }
  }

  return {
    close,
    /** Watches the folders again, because a folder may have been replaced by another one with the same name. */
    watchAnew() {
      close();
      watchers = [...new Set(folders())].flatMap(watchFolder);
    },
  };
}

/**
 * Creates the watch, which is off at first. It watches folders and not files, because Kubernetes swaps a symbolic link in the
 * folder, and the second change of a watched file or link is not reported. An event of the system is only a hint, so the
 * texts are compared.
 */
export function createConfigWatch(deps: ConfigWatchDeps) {
  const { fingerprint, fingerprintInForce, onChange, quietMs = QUIET_MS, pollMs = POLL_MS } = deps;
  const folders = createFolderWatch(deps, note);
  let isOn = false;
  let isLooking = false;
  /** The texts that were read last, sound or not, so that refused texts are not tried again. */
  let seen: string | undefined;
  let quiet: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;

  function note(): void {
    clearTimeout(quiet);
    quiet = setTimeout(() => void look(), quietMs).unref();
  }

  async function look(): Promise<void> {
    if (!isOn || isLooking) return;
    const found = fingerprint();
    if (found === undefined || found === seen) return;
    seen = found;
    folders.watchAnew();
    // The texts may be in force already, for example by a command.
    if (found === fingerprintInForce()) return;
    isLooking = true;
    await onChange();
    isLooking = false;
    // If the texts have changed since, `onChange` may have read other texts, so the texts found here do not count as seen.
    if (fingerprint() !== found) seen = undefined;
    // Looks again, because a change during `onChange` was ignored.
    note();
  }

  function close(): void {
    isOn = false;
    clearInterval(poll);
    clearTimeout(quiet);
    folders.close();
  }

  return {
    /** Turns the watch on or off. When it is turned on, it also compares the texts, after half a second. */
    set(on: boolean): void {
      if (on === isOn) return;
      close();
      if (!on) return;
      isOn = true;
      seen = undefined;
      folders.watchAnew();
      poll = setInterval(() => void look(), pollMs).unref();
      note();
    },
    close,
  };
}
