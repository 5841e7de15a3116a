// Shows how a long command goes on (`infer`, `doctor`, `explain`, `quality`, `test --record`), because it asks a source many
// times.

import type { ClientRequest } from 'node:http';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { styleText } from 'node:util';
import { createLogUpdate } from 'log-update';
import type { CliContext, Terminal } from '../context/context.ts';
import { plain } from './plain-output.ts';

/** A long piece of work, as its progress line names it. */
export type Work = {
  /** The name of the work, such as `infer users` or `doctor crm`. */
  readonly title: string;
  /** The most calls that it may make; absent if only its end is known. */
  readonly callsMax?: number | undefined;
};

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Without a terminal, each report is a new line, so there are fewer of them. */
const LINE_MS = 5_000;
/** On this channel, Node reports each request that a client of this process sends. */
const CHANNEL = 'http.client.request.start';

/** A time for people: `8 s`, `2 min 5 s`. */
function timeText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A request without the values of its query, which may be those of records, or secrets. */
function requestText({ method, path }: Pick<ClientRequest, 'method' | 'path'>): string {
  const [place = '', query = ''] = path.split('?');
  const names = [...new Set(new URLSearchParams(query).keys())];
  return `${method} ${place}${names.length === 0 ? '' : `  ${names.join(', ')}`}`;
}

/**
 * The progress line after some calls.
 * @internal
 */
export function progressText(
  { title, callsMax }: Work,
  calls: number,
  elapsedMs: number,
  doing: string,
): string {
  const left = callsMax === undefined || calls === 0 ? 0 : ((callsMax - calls) * elapsedMs) / calls;
  const parts = [
    `${calls}${callsMax === undefined ? '' : ` of at most ${callsMax}`} calls`,
    timeText(elapsedMs),
    ...(left > 0 ? [`at most ${timeText(left)} left`] : []),
    ...(doing === '' ? [] : [doing]),
  ];
  return `${title}: ${parts.join(' · ')}`;
}

/** Reports the progress of a piece of work at an interval, until the returned function is called. */
function sayProgress(work: Work, everyMs: number, say: (text: string) => void): () => void {
  const start = performance.now();
  let [calls, doing] = [0, ''];
  function onRequest(message: unknown): void {
    calls += 1;
    doing = requestText((message as { readonly request: ClientRequest }).request);
  }
  subscribe(CHANNEL, onRequest);
  const timer = setInterval(
    () => say(plain(progressText(work, calls, performance.now() - start, doing))),
    everyMs,
  );
  return () => {
    clearInterval(timer);
    unsubscribe(CHANNEL, onRequest);
  };
}

/** The last line of a terminal, which is written over; `clear` removes it until it is drawn again. */
function openLine(work: Work, terminal: Terminal) {
  const { stream, hasColours } = terminal;
  // The cursor is left alone, so that a command that is stopped leaves the terminal as it was.
  const update = createLogUpdate(stream as unknown as NodeJS.WriteStream, { showCursor: true });
  let frame = 0;
  const stop = sayProgress(work, FRAME_MS, (text) => {
    frame += 1;
    const sign = FRAMES[frame % FRAMES.length] ?? '';
    const shown = text.slice(0, Math.max(10, stream.columns - 3));
    update(`${hasColours ? styleText('cyan', sign, { validateStream: false }) : sign} ${shown}`);
  });
  return {
    clear: () => update.clear(),
    end(): void {
      stop();
      update.clear();
    },
  };
}

/**
 * Does a long piece of work, and shows its progress on a terminal: calls, time, and the current request. What the work
 * prints through its context stands above that line. Without a terminal, a line is written to standard error every 5 seconds;
 * with `quiet`, nothing is shown.
 */
export async function withProgress<T>(
  work: Work & { readonly quiet?: boolean | undefined },
  context: CliContext,
  run: (context: CliContext) => Promise<T>,
): Promise<T> {
  const terminal = context.terminals?.err;
  if (work.quiet === true) return run(context);
  if (terminal === undefined) {
    const stop = sayProgress(work, LINE_MS, (text) => context.err(`${text}\n`));
    return run(context).finally(stop);
  }
  const line = openLine(work, terminal);
  /** Makes a function that removes the line first, and then does the same as `write`. */
  function above<A extends readonly unknown[], R>(write: (...args: A) => R) {
    return (...args: A): R => {
      line.clear();
      return write(...args);
    };
  }
  const aboveOf = (one: Terminal | undefined): Terminal | undefined =>
    one && {
      ...one,
      stream: {
        get columns() {
          return one.stream.columns;
        },
        get rows() {
          return one.stream.rows;
        },
        isTTY: one.stream.isTTY,
        write: above((text: string) => one.stream.write(text)),
      },
    };
  const { out, err } = context;
  const terminals = { out: aboveOf(context.terminals?.out), err: aboveOf(terminal) };
  try {
    return await run({ ...context, out: above(out), err: above(err), terminals });
  } finally {
    line.end();
  }
}
