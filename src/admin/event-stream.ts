import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { FigureSample } from '../telemetry/figures/figure-sample.ts';
import type { FigureSampler } from '../telemetry/figures/figure-sampler.ts';
import { sendProblem } from './api/send-problem.ts';
import { accessOf, isStillAdmitted } from './access/guard.ts';

/** The stream of events of the operator's listener: server-sent events, see the HTML standard. */
export type EventStream = {
  /** Serves `GET /api/events`: a `tick` at once and every two seconds. */
  readonly serve: RequestHandler;
  /** Tells everybody `bye`, and ends all streams; later ones end at once. */
  end(): void;
};

/** `sampler` is listened to while somebody reads, and gives a sample every two seconds. */
export type EventStreamDeps = {
  readonly sampler: Pick<FigureSampler, 'now' | 'listen'>;
  /** What a tick says. It is made once, however many read it. */
  readonly tickOf: (sample: FigureSample) => object;
  readonly log: Pick<Logger, 'warn'>;
};

/** A browser opens one for each tab that is seen; more than these would be a program that does not close them. */
const STREAMS_MAX = 100;
/** How long a reader waits before it connects again, in milliseconds. */
const RETRY_MS = 3_000;
const BYE = 'event: bye\ndata: {}\n\n';

function sendHead(res: Response): void {
  // `no-transform` and the header keep proxies from collecting ticks before they pass them on.
  res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store, no-transform' });
  res.set('X-Accel-Buffering', 'no').flushHeaders();
  res.write(`retry: ${RETRY_MS}\n\n`);
}

/** Creates the stream. Nothing is sampled for it while nobody reads. */
export function createEventStream({ sampler, tickOf, log }: EventStreamDeps): EventStream {
  /** Each with the name of its token, the oldest first. */
  const streams = new Map<Response, string>();
  let stopListening: (() => void) | undefined;
  let isEnded = false;
  const textOf = (sample: FigureSample) => `event: tick\ndata: ${JSON.stringify(tickOf(sample))}\n\n`;

  /** A reader that has not taken the tick before gets nothing more: ticks must not pile up in memory. */
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

  function tick(sample: FigureSample): void {
    const text = textOf(sample);
    for (const stream of streams.keys()) {
      if (isStillAdmitted(stream) && !stream.writableNeedDrain) stream.write(text);
      else endStream(stream);
    }
  }

  const streamsOf = (name: string) => [...streams].filter(([, of]) => of === name).map(([stream]) => stream);

  /**
   * Makes room for one more stream of a token (max-min fairness): where all are taken, the token with the most gives its
   * oldest one up, unless the one that asks would have as many then.
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

  return {
    async serve(_req, res) {
      const { name } = accessOf(res).actor;
      if (isEnded || !makeRoom(name)) {
        const reason = isEnded ? 'the gateway is draining' : `${STREAMS_MAX} streams are open`;
        sendProblem(res, { code: 'unavailable', reason, hint: 'ask again in a few seconds' });
        return;
      }
      await open(res, name);
    },
    end() {
      isEnded = true;
      for (const stream of streams.keys()) stream.end(BYE);
    },
  };
}
