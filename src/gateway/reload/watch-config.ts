import { type FSWatcher, watch } from 'node:fs';

/** Watches for changed files. */
export type ConfigWatch = {
  /** Turns it on or off, and looks at the folders as they are now. */
  set(isOn: boolean): void;
  close(): void;
};

/** Without `quietMs` and `pollMs` it waits for half a second of quiet, and compares the texts every 30 seconds. */
export type ConfigWatchDeps = {
  /** The folders whose files are read. */
  readonly folders: () => readonly string[];
  /** A digest of all texts as they are on disk; `undefined` where they cannot be read. */
  readonly fingerprint: () => string | undefined;
  /** The same for the texts in force; `undefined` once others were refused, so that a return to these is noticed, too. */
  readonly fingerprintInForce: () => string | undefined;
  /** Called when the texts have changed. Another call does not begin before its end. */
  readonly onChange: () => Promise<unknown>;
  /** Tells that a folder cannot be watched, so that changes in it are found by looking from time to time. */
  readonly onBlind: (folder: string, problem: string) => void;
  /** How long nothing must happen in the folders before they are looked at, milliseconds. */
  readonly quietMs?: number;
  /** How often the texts are compared whatever was noticed, milliseconds. */
  readonly pollMs?: number;
};

const QUIET_MS = 500;
const POLL_MS = 30_000;

/** Creates what watches some folders: `note` is called whenever something happens in one of them. */
function createFolderWatch({ folders, onBlind }: ConfigWatchDeps, note: () => void) {
  let watchers: readonly FSWatcher[] = [];

  function close(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  function watchFolder(folder: string): readonly FSWatcher[] {
    const tell = (error: unknown) => onBlind(folder, error instanceof Error ? error.message : 'unknown');
    try {
      const watcher = watch(folder, { persistent: false }, note);
      watcher.on('error', tell);
      return [watcher];
    } catch (error) {
      tell(error);
      return [];
    }
  }

  return {
    close,
    /** A folder may be another one under the same name since the last time. */
    watchAnew() {
      close();
      watchers = [...new Set(folders())].flatMap(watchFolder);
    },
  };
}

/**
 * Creates the watch, which is off. Folders are watched and not files: Kubernetes swaps a symbolic link in the folder, and
 * a watched file or link is not seen to change a second time. What the system tells is a hint; the texts are the truth.
 */
export function createConfigWatch(deps: ConfigWatchDeps): ConfigWatch {
  const { fingerprint, fingerprintInForce, onChange, quietMs = QUIET_MS, pollMs = POLL_MS } = deps;
  const folders = createFolderWatch(deps, note);
  let isOn = false;
  let isLooking = false;
  /** The texts that were looked at last, whether they were sound or not: what is refused is not tried again. */
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
    // It was put in force by somebody else.
    if (found === fingerprintInForce()) return;
    isLooking = true;
    await onChange();
    isLooking = false;
    // The texts have changed since, so `onChange` may have read others. Then those found here do not count as seen.
    if (fingerprint() !== found) seen = undefined;
    // What changed meanwhile was not looked at.
    note();
  }

  function close(): void {
    isOn = false;
    clearInterval(poll);
    clearTimeout(quiet);
    folders.close();
  }

  return {
    set(on) {
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
