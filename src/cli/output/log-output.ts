import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import type { LogDestination } from '../context.ts';

/** The log of a process, on its standard output. */
export type LogOutput = LogDestination & {
  /** Writes what was logged, as far as the output is read; false where the rest was dropped. */
  end(): Promise<boolean>;
  /** Writes what can be written at once, and drops the rest. */
  abandon(): void;
};

/** The most characters that wait to be written, so that they do not fill the memory. */
const WAITING_CHARS_MAX = 8 * 1024 ** 2;
const FLUSH_MS_MAX = 1_000;

/** Says in the log how many lines were dropped, once there is room for a line again. */
function countDropped(destination: ReturnType<typeof pino.destination>): () => number {
  let dropped = 0;
  let reported = 0;
  destination.on('drop', () => void (dropped += 1));
  destination.on('drain', () => {
    if (reported === dropped) return;
    const line = {
      level: 40,
      time: Date.now(),
      dropped: dropped - reported,
      msg: 'lines of the log were dropped',
    };
    reported = dropped;
    destination.write(`${JSON.stringify(line)}\n`);
  });
  return () => dropped;
}

/**
 * Opens it. Lines are written many at a time: a system call for each would cost a tenth of a cached answer. Where several
 * processes write to one pipe (`shared`), only writes of up to 4 KiB (PIPE_BUF) are atomic.
 */
export function openLogOutput(shared: boolean): LogOutput {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    periodicFlush: 50,
    maxLength: WAITING_CHARS_MAX,
    // At the exit the library would retry until the output is read.
    retryEAGAIN: () => !isEnding,
    ...(shared ? { minLength: 3_584, maxWrite: 4_096 } : { minLength: 4_096 }),
  });
  const droppedLines = countDropped(destination);
  let isEnding = false;

  function abandon(): void {
    isEnding = true;
    try {
      destination.flushSync();
    } catch {
      // The output is closed.
    }
    destination.destroy();
  }

  return {
    write(line) {
      if (!('destroyed' in destination && destination.destroyed)) destination.write(line);
    },
    droppedLines,
    async end() {
      const flushed = new Promise<true>((resolve) => destination.flush(() => resolve(true)));
      const isWritten = await Promise.race([flushed, delay(FLUSH_MS_MAX, false, { ref: false })]);
      if (!isWritten) abandon();
      return isWritten;
    },
    abandon,
  };
}
