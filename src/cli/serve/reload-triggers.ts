// Makes a gateway reload at a SIGHUP, and when its files change; `portico start` opens it in the one process, or in the
// primary.

import type { Logger } from 'pino';
import type { Reloader, Reloading } from '../../gateway/reload/reloader.ts';
import { createConfigWatch } from '../../gateway/reload/watch-config.ts';
import type { Processes } from '../context/context.ts';
import type { ReadyConfig } from '../input/read-config.ts';
import { createLastGoodWriter } from './last-good.ts';
import { type CheckContext, createConfigReader } from '../input/config-check-client.ts';
import { watchedFiles } from './config-fingerprint.ts';

/**
 * Creates the triggers of a process from its first configuration and its log: how it reads its configuration again, and the
 * function that starts the triggers of a reload.
 */
export type OpenReloadTriggers = ReturnType<typeof createReloadTriggers>;

/** Makes a function that reloads. Any number of calls during a reload cause one more reload after it. */
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

/** Makes the function that creates the triggers once the log of the process is open. `isFallback`: see `Reloading`. */
export function createReloadTriggers(
  configFile: string,
  isFallback: boolean,
  context: CheckContext & { readonly processes: Pick<Processes, 'onHangUp'> },
) {
  return function openReloadTriggers(first: ReadyConfig, log: Pick<Logger, 'warn'>) {
    let inForce: Pick<ReadyConfig, 'texts' | 'gateway'> = first;
    let reload: Reloader['reload'] | undefined;
    let isStale = isFallback;
    const files = watchedFiles(configFile, () => inForce.texts);
    const watch = createConfigWatch({
      ...files,
      fingerprintInForce: () => (isStale ? undefined : files.fingerprintInForce()),
      onChange: async () => reload?.({ actor: 'watch' }),
      onUnwatched: (folder, problem) =>
        log.warn({ folder, problem }, 'a folder cannot be watched; changes are found within half a minute'),
    });
    context.stop.addEventListener('abort', () => watch.close());

    function follow(): void {
      if (reload !== undefined) watch.set(inForce.gateway.reload === 'watch');
    }

    return {
      reloading: {
        read: createConfigReader(configFile, context),
        keep: createLastGoodWriter(log),
        isFallback,
        onInForce(config) {
          inForce = config;
          follow();
        },
        onStale: (is) => void (isStale = is),
      } satisfies Reloading,
      /** Begins to trigger reloads: at every SIGHUP, and when files change, if the configuration says so. */
      start: (given: Reloader['reload']): void => {
        reload = given;
        const onSignal = createAskOnce(() => given({ actor: 'signal' }));
        context.processes.onHangUp(() => void onSignal());
        follow();
      },
    };
  };
}
