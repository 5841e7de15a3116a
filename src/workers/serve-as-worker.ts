import { setTimeout as delay } from 'node:timers/promises';
import type { ConfigTexts } from '../config/load.ts';
import type { ResourceQuality } from '../pipeline/quality.ts';
import type { Share } from '../upstream/bulkhead.ts';
import type { Counts, MetricValues, PrimaryLine, Question, ToWorker, WorkerState } from './messages.ts';
import { createPermitShare, type PermitShare } from './permit-share.ts';

/** The public side of a gateway, as far as a worker needs it. */
export type ServingSide = {
  prepare(): Promise<void>;
  listen(): Promise<number>;
  checks(): WorkerState['checks'];
  readonly metrics: { values(): Promise<MetricValues> };
  quality(): readonly ResourceQuality[];
  purge(tag: string): Promise<void>;
  leave(leaving: { readonly othersListen: boolean }): Promise<void>;
  close(): Promise<void>;
};

/** Makes a public side of a configuration, with this process's parts of what the sources take. */
export type BuildSide = (texts: ConfigTexts, shareOf: (source: string) => Share) => ServingSide;

/** How long a worker that must be ready may take for it. */
const READY_MS = 10_000;
const LOOK_MS = 50;

/**
 * Serves as one worker of several, until the primary has it leave, or `stop` does. Resolves once everything is closed.
 */
export async function serveAsWorker(line: PrimaryLine, build: BuildSide, stop?: AbortSignal): Promise<void> {
  const shares = new Map<string, PermitShare>();
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  let side: ServingSide | undefined;
  let serving = false;

  function shareOf(source: string): Share {
    const share = shares.get(source) ?? createPermitShare(source, (message) => void line.send(message));
    shares.set(source, share);
    return share;
  }

  async function setUp({ texts, onlyReady }: Extract<ToWorker, { kind: 'setup' }>): Promise<void> {
    try {
      side = build(texts, shareOf);
      await side.prepare();
      if (onlyReady) await untilReady(side);
      const port = await side.listen();
      serving = true;
      await line.send({ kind: 'serving', port });
    } catch (error) {
      await line.send({ kind: 'failed', problem: problemOf(error) });
      end(undefined);
    }
  }

  async function leave(othersListen: boolean): Promise<void> {
    if (side !== undefined && serving) {
      await side.leave({ othersListen });
      await line.send({ kind: 'left', counts: await countsOf(side) });
    }
    end(undefined);
  }

  async function answer(number: number, question: Question): Promise<void> {
    try {
      if (side === undefined) throw new Error('not there yet');
      const value = await answerOf(side, question);
      await line.send({ kind: 'answer', number, value });
    } catch (error) {
      await line.send({ kind: 'answer', number, problem: problemOf(error) });
    }
  }

  line.onMessage((message) => {
    if (message.kind === 'setup') void setUp(message);
    else if (message.kind === 'leave') void leave(message.othersListen);
    else if (message.kind === 'ask') void answer(message.number, message.question);
    else shares.get(message.source)?.handle(message);
  });
  stop?.addEventListener('abort', () => void leave(true));
  await line.send({ kind: 'online' });
  await ended;
  await side?.close();
}

function problemOf(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  return port === undefined ? message : `cannot listen on port ${port} (${code ?? 'error'})`;
}

/** A configuration is tried with all that it names: what is not needed every moment may be misspelt too. */
function failing(side: ServingSide): readonly string[] {
  return side.checks().flatMap(({ name, ready }) => (ready ? [] : [name]));
}

async function untilReady(side: ServingSide): Promise<void> {
  for (let waitedMs = 0; failing(side).length > 0; waitedMs += LOOK_MS) {
    if (waitedMs >= READY_MS) throw new Error(`not ready within ${READY_MS} ms: ${failing(side).join(', ')}`);
    await delay(LOOK_MS);
  }
}

async function countsOf(side: ServingSide): Promise<Counts> {
  return { metrics: await side.metrics.values(), quality: side.quality() };
}

async function answerOf(side: ServingSide, question: Question): Promise<unknown> {
  switch (question.about) {
    case 'purge':
      return side.purge(question.tag);
    case 'counts':
      return countsOf(side);
    case 'state':
      return { checks: side.checks() } satisfies WorkerState;
  }
}
