// Writes the log of a gateway to standard output: many lines at once, and so that a slow reader never stops requests.

import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { toGatewayError } from '../../kernel/errors/fault.ts';
import { summariseCause } from '../../http/listener/cause-summary.ts';

/** The log of a process, on its standard output. */
export type LogOutput = ReturnType<typeof openLogOutput>;

/** The most characters that wait to be written, so that they do not fill the memory. */
const WAITING_CHARS_MAX = 8 * 1024 ** 2;
const FLUSH_MS_MAX = 1_000;

/**
 * How many bytes of lines are written at once. If several processes write to one pipe, only writes of up to 4 KiB
 * (PIPE_BUF) are atomic.
 */
const BATCH_BYTES = { own: 32 * 1_024, shared: 4_096 };
const BATCH_MS = 50;

/** Says in the log how many lines were dropped, once there is room for a line again. */
function countDropped(destination: ReturnType<typeof pino.destination>): () => number {
  let dropped = 0;
  let reported = 0;
  destination.on('drop', (lines: string) => void (dropped += lines.split('\n').length - 1));
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

/** Joins lines until they are as many bytes as are written at once, or until they have waited for long enough. */
function createBatches(bytesMax: number, writeBatch: (lines: string) => void) {
  let lines = '';
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (bytes === 0) return;
    const batch = lines;
    lines = '';
    bytes = 0;
    writeBatch(batch);
  }

  function add(line: string): void {
    const length = Buffer.byteLength(line);
    if (bytes + length > bytesMax) flush();
    lines += line;
    bytes += length;
    timer ??= setTimeout(flush, BATCH_MS).unref();
  }

  return { add, flush };
}

/**
 * Opens the log. Lines are written many at a time, because a system call for each would cost a tenth of a cached answer.
 * They are joined here, because the library would count the bytes of all waiting lines again for each line.
 */
export function openLogOutput(shared: boolean) {
  const bytesMax = shared ? BATCH_BYTES.shared : BATCH_BYTES.own;
  const destination = pino.destination({
    dest: 1,
    sync: false,
    maxLength: WAITING_CHARS_MAX,
    maxWrite: bytesMax,
    // With 0, its `flush` would wait for nothing.
    minLength: 1,
    // At the exit the library would retry until the output is read.
    retryEAGAIN: () => !isEnding,
  });
  const droppedLines = countDropped(destination);
  const batches = createBatches(bytesMax, (lines) => {
    if (!('destroyed' in destination && destination.destroyed)) destination.write(lines);
  });
  let isEnding = false;

  function abandon(): void {
    isEnding = true;
    try {
      batches.flush();
      destination.flushSync();
    } catch {
      // The output is closed.
    }
    destination.destroy();
  }

  return {
    write: batches.add,
    droppedLines,
    /** Writes what was logged, as far as the output is read; false if the rest was dropped. */
    async end(): Promise<boolean> {
      batches.flush();
      const flushed = new Promise<true>((resolve) => destination.flush(() => resolve(true)));
      const isWritten = await Promise.race([flushed, delay(FLUSH_MS_MAX, false, { ref: false })]);
      if (!isWritten) abandon();
      return isWritten;
    },
    /** Writes what can be written at once, and drops the rest. */
    abandon,
  };
}

/** The log line for an uncaught error. As in all other lines, the message of an unknown error is left out. */
export function fatalLine(thrown: unknown, pid: number): string {
  const cause = summariseCause(toGatewayError(thrown));
  const msg = 'an uncaught error: the process drains and ends';
  return `${JSON.stringify({ level: 60, time: Date.now(), pid, cause, msg })}\n`;
}
