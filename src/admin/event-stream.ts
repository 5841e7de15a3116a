// Sends the console a new overview every two seconds (a tick of `GET /api/events`), so that no tab has to ask for it.

import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { MetricsSnapshot } from '../telemetry/history/metric-sample.ts';
import type { MetricSampler } from '../telemetry/history/metric-sampler.ts';
import { accessOf, isStillAdmitted, sendProblem } from './access/guard.ts';

/** The stream of events of the operator's listener: server-sent events, see the HTML standard. */
export type EventStream = ReturnType<typeof createEventStream>;

/** What the stream needs. `sampler` gives a sample every two seconds while somebody reads. */
export type EventStreamDeps = {
  readonly sampler: Pick<MetricSampler, 'now' | 'listen'>;
  /** Makes the data of a tick, once for all readers. */
  readonly tickOf: (sample: MetricsSnapshot) => object;
  readonly log: Pick<Logger, 'warn'>;
};

/** A browser opens one stream for each visible tab. More than this would be a program that does not close them. */
const STREAMS_MAX = 100;
/** How long a reader waits before it connects again, in milliseconds. */
const RETRY_MS = 3_000;
const BYE = 'event: bye\ndata: {}\n\n';

function sendHead(res: Response): void {
  // `no-transform` and `X-Accel-Buffering` keep proxies from buffering ticks.
  res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store, no-transform' });
  res.set('X-Accel-Buffering', 'no').flushHeaders();
  res.write(`retry: ${RETRY_MS}\n\n`);
}

/** Creates the stream. Nothing is sampled for it while nobody reads. */
export function createEventStream({ sampler, tickOf, log }: EventStreamDeps) {
  /** The streams with the names of their tokens, the oldest first. */
  const streams = new Map<Response, string>();
  let stopListening: (() => void) | undefined;
  let isEnded = false;
  const textOf = (sample: MetricsSnapshot) => `event: tick\ndata: ${JSON.stringify(tickOf(sample))}\n\n`;

  /** Ends a stream. A reader that has not taken the last tick gets nothing more: ticks must not pile up in memory. */
  function endStream(stream: Response): void {
    if (stream.writableNeedDrain) stream.destroy();
    else stream.end(BYE);
  }

  function leave(stream: Response): void {
    streams.delete(stream);
    if (streams.size > 0) return;
    stopListening?.();
    stopListening = undefined;
  }

  function tick(sample: MetricsSnapshot): void {
    const text = textOf(sample);
    for (const stream of streams.keys()) {
      if (isStillAdmitted(stream) && !stream.writableNeedDrain) stream.write(text);
      else endStream(stream);
    }
  }

  const streamsOf = (name: string) => [...streams].filter(([, of]) => of === name).map(([stream]) => stream);

  /**
   * Makes room for one more stream of a token (max-min fairness): if all are taken, the oldest stream of the token with the
   * most ends, unless the asking token would then have as many.
   */
  function makeRoom(name: string): boolean {
    if (streams.size < STREAMS_MAX) return true;
    const [most = []] = [...new Set(streams.values())].map(streamsOf).sort((a, b) => b.length - a.length);
    const [oldest] = most;
    if (oldest === undefined || streamsOf(name).length + 1 >= most.length) return false;
    leave(oldest);
    endStream(oldest);
    log.warn({ actor: accessOf(oldest).actor.name, streams: most.length }, 'a stream of events gave way');
    return true;
  }

  async function open(res: Response, name: string): Promise<void> {
    streams.set(res, name);
    res.once('close', () => leave(res));
    stopListening ??= sampler.listen(tick);
    sendHead(res);
    const sample = await sampler.now().catch(() => undefined);
    if (sample !== undefined && !res.writableEnded && !res.destroyed) res.write(textOf(sample));
  }

  /** Serves `GET /api/events`: a `tick` at once and every two seconds. */
  const serve: RequestHandler = async (_req, res) => {
    const { name } = accessOf(res).actor;
    if (isEnded || !makeRoom(name)) {
      const reason = isEnded ? 'the gateway is draining' : `${STREAMS_MAX} streams are open`;
      sendProblem(res, { code: 'unavailable', reason, hint: 'ask again in a few seconds' });
      return;
    }
    await open(res, name);
  };

  return {
    serve,
    /** Sends `bye` to everybody, and ends all streams. Later streams are refused. */
    end(): void {
      isEnded = true;
      for (const stream of streams.keys()) stream.end(BYE);
    },
  };
}
