import type { RequestHandler, Response } from 'express';
import type { FigureSample } from '../../telemetry/figures/figure-sample.ts';
import type { FigureSampler } from '../../telemetry/figures/figure-sampler.ts';
import { sendProblem } from '../api/send-problem.ts';
import { isStillAdmitted } from '../access/guard.ts';

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
};

/** A browser opens one for each tab; more than these would be a program that does not close them. */
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
export function createEventStream({ sampler, tickOf }: EventStreamDeps): EventStream {
  const streams = new Set<Response>();
  let stopListening: (() => void) | undefined;
  let isEnded = false;
  const textOf = (sample: FigureSample) => `event: tick\ndata: ${JSON.stringify(tickOf(sample))}\n\n`;

  function leave(stream: Response): void {
    streams.delete(stream);
    if (streams.size > 0) return;
    stopListening?.();
    stopListening = undefined;
  }

  function tick(sample: FigureSample): void {
    const text = textOf(sample);
    for (const stream of streams) {
      // A reader that has not taken the tick before gets no other: ticks must not pile up in memory.
      if (stream.writableNeedDrain) stream.destroy();
      else if (isStillAdmitted(stream)) stream.write(text);
      else stream.end(BYE);
    }
  }

  async function open(res: Response): Promise<void> {
    streams.add(res);
    res.once('close', () => leave(res));
    stopListening ??= sampler.listen(tick);
    sendHead(res);
    const sample = await sampler.now().catch(() => undefined);
    if (sample !== undefined && !res.writableEnded && !res.destroyed) res.write(textOf(sample));
  }

  return {
    async serve(_req, res) {
      if (isEnded || streams.size >= STREAMS_MAX) {
        const reason = isEnded ? 'the gateway is draining' : `${STREAMS_MAX} streams are open`;
        sendProblem(res, { code: 'unavailable', reason, hint: 'ask again in a few seconds' });
        return;
      }
      await open(res);
    },
    end() {
      isEnded = true;
      for (const stream of streams) stream.end(BYE);
    },
  };
}
