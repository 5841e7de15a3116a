// Writes who changed what (the audit): to the log of the process, and to a chain of lines in which later changes show.

import type { Logger } from 'pino';
import type { Clock } from '../../kernel/clock.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import {
  type AuditChange,
  chainedLine,
  lineDigest,
  readAuditLine,
  type UnchainedEntry,
} from './audit-entry.ts';
import type { AuditStore } from './audit-store.ts';

/** Where a line is now: `kept` in the chain, or `waiting` in this process because Redis did not take it. */
export type AuditWrite = 'kept' | 'waiting';

/** The audit log of a process: it records who changed what. */
export type AuditLog = ReturnType<typeof createAuditLog>;

/**
 * What an audit log needs. `store` keeps the chain; `log` gets each line, whether the store takes it or not. `onWrite` is
 * called with `lost` if a line was dropped while it waited for the store.
 */
export type AuditLogDeps = {
  readonly store: AuditStore;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly clock: Clock;
  /** The process, such as `host-1:4711`. */
  readonly gateway: string;
  readonly onWrite?: ((write: AuditWrite | 'lost') => void) | undefined;
};

/** If more lines wait, the oldest are dropped; the log still has them. */
const WAITING_MAX = 1_000;
const RETRY_MS = 2_000;

/** Writes an entry to the log of the process; `line` is the line of the chain, absent if Redis did not take it. */
function writeToLog(log: AuditLogDeps['log'], entry: UnchainedEntry, line: string | undefined): void {
  const kept = line === undefined ? undefined : readAuditLine(line);
  if (kept === undefined) log.warn({ audit: true, ...entry, kept: false }, 'audit');
  else log.info({ audit: true, ...kept, digest: lineDigest(line ?? '') }, 'audit');
}

/** Creates the audit log of a process. */
export function createAuditLog({ store, log, clock, gateway, onWrite }: AuditLogDeps) {
  const inTurn = createSerialQueue();
  const waiting: UnchainedEntry[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** Appends all waiting entries to the chain, in order. False if Redis does not take one. */
  async function flush(): Promise<boolean> {
    for (let [entry] = waiting; entry !== undefined; [entry] = waiting) {
      const next = entry;
      const line = await store.append((last) => chainedLine(last, next)).catch(() => undefined);
      if (line === undefined) return false;
      waiting.shift();
      writeToLog(log, next, line);
      onWrite?.('kept');
    }
    return true;
  }

  function retryLater(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void inTurn(flush).then((isDone) => {
        if (!isDone) retryLater();
      });
    }, RETRY_MS);
    timer.unref();
  }

  return {
    lines: () => store.lines(),
    restore: (lines: readonly string[]) => store.restore(lines),
    /**
     * Writes a line to the log and to the chain. It never rejects, because the change has happened already. If Redis does not
     * take the line, the log has it nevertheless, and the line waits in this process until Redis takes it.
     */
    record(change: AuditChange): Promise<AuditWrite> {
      const entry = { at: new Date(clock.now()).toISOString(), gateway, ...change };
      return inTurn(async () => {
        waiting.push(entry);
        if (await flush()) return 'kept';
        writeToLog(log, entry, undefined);
        onWrite?.('waiting');
        if (waiting.length > WAITING_MAX) {
          waiting.shift();
          onWrite?.('lost');
        }
        retryLater();
        return 'waiting';
      });
    },
    /** Stops the retries in the background. Lines that still wait are then only in the log. */
    close: () => clearTimeout(timer),
  };
}
