import type { Logger } from 'pino';
import type { Reloader, Reloading } from '../../reload/reloader.ts';
import { createConfigWatch } from '../../reload/watch-config.ts';
import type { CliContext } from '../context.ts';
import type { ReadyConfig } from '../input/read-config.ts';
import { createKeep } from './last-good.ts';
import { createReadAgain } from './read-again.ts';
import { watchedFiles } from './config-fingerprint.ts';

/** How the configuration of a process is read again, and what asks for that. */
export type OpenedReloading = {
  readonly reloading: Reloading;
  /** Begins to ask: at every SIGHUP, and where the configuration says so whenever its files change. */
  readonly start: (reload: Reloader['reload']) => void;
};

/** Opens it for the configuration that is served first, with the log of the process. */
export type OpenReloading = (first: ReadyConfig, log: Pick<Logger, 'warn'>) => OpenedReloading;

/** Makes a function that reloads. All calls during a reload together cause one more reload after it. */
function createAskOnce(reload: () => Promise<unknown>): () => Promise<void> {
  let isAsked = false;
  let isUnderWay = false;
  return async () => {
    isAsked = true;
    if (isUnderWay) return;
    isUnderWay = true;
    while (isAsked) {
      isAsked = false;
      await reload();
    }
    isUnderWay = false;
  };
}

/** Makes the function that opens the reloading of a process once its log is there. `isFallback`: see `Reloading`. */
export function createOpenReloading(
  configFile: string,
  isFallback: boolean,
  context: CliContext,
): OpenReloading {
  return function openReloading(first, log) {
    let inForce: Pick<ReadyConfig, 'texts' | 'gateway'> = first;
    let reload: Reloader['reload'] | undefined;
    let isStale = isFallback;
    const files = watchedFiles(configFile, () => inForce.texts);
    const watch = createConfigWatch({
      ...files,
      fingerprintInForce: () => (isStale ? undefined : files.fingerprintInForce()),
      onChange: async () => reload?.({ actor: 'watch' }),
      onBlind: (folder, problem) =>
        log.warn({ folder, problem }, 'a folder cannot be watched; changes are found within half a minute'),
    });
    context.stop.addEventListener('abort', () => watch.close());

    function follow(): void {
      if (reload !== undefined) watch.set(inForce.gateway.reload === 'watch');
    }

    return {
      reloading: {
        read: createReadAgain(configFile, context),
        keep: createKeep(log),
        isFallback,
        onInForce(config) {
          inForce = config;
          follow();
        },
        onStale: (is) => void (isStale = is),
      },
      start(given) {
        reload = given;
        const onSignal = createAskOnce(() => given({ actor: 'signal' }));
        context.processes.onHangUp(() => void onSignal());
        follow();
      },
    };
  };
}
