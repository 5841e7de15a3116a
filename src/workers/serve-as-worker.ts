import { setTimeout as delay } from 'node:timers/promises';
import type { Act } from '../admin/actions/act.ts';
import type { HeldCount } from '../admin/actions/cache-actions.ts';
import type { ConfigTexts } from '../config/load.ts';
import type { ResourceQuality } from '../pipeline/quality.ts';
import type { Share } from '../upstream/bulkhead/bulkhead.ts';
import type {
  WorkerCounts,
  MetricValues,
  PrimaryChannel,
  WorkerQuery,
  ToWorker,
  WorkerState,
} from './messages.ts';
import { createPermitShare, type PermitShare } from './permits/permit-share.ts';

/** A gateway without its operator's listener, as a worker runs it. */
export type ServedGateway = {
  prepare(): Promise<void>;
  listen(): Promise<number>;
  checks(): WorkerState['checks'];
  readonly metrics: { values(): Promise<MetricValues> };
  quality(): readonly ResourceQuality[];
  countHeld(tag: string): HeldCount;
  readonly act: Act;
  leave(leaving: { readonly othersListen: boolean }): Promise<void>;
  close(): Promise<void>;
};

/** Builds the gateway of a configuration. `shareOf` is this process's share of the concurrent calls of a source. */
export type BuildGateway = (texts: ConfigTexts, shareOf: (source: string) => Share) => ServedGateway;

/** The time in which a worker of a new configuration must become ready. */
const READY_MS = 10_000;
const POLL_MS = 50;

/** Serves as one worker of several, until the primary or `stop` ends it. Resolves once everything is closed. */
export async function serveAsWorker(
  channel: PrimaryChannel,
  build: BuildGateway,
  stop?: AbortSignal,
): Promise<void> {
  const shares = new Map<string, PermitShare>();
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  let gateway: ServedGateway | undefined;
  let serving = false;

  function shareOf(source: string): Share {
    const share = shares.get(source) ?? createPermitShare(source, (message) => void channel.send(message));
    shares.set(source, share);
    return share;
  }

  async function setUp({ texts, onlyReady }: Extract<ToWorker, { kind: 'setup' }>): Promise<void> {
    try {
      gateway = build(texts, shareOf);
      await gateway.prepare();
      if (onlyReady) await untilReady(gateway);
      const port = await gateway.listen();
      serving = true;
      await channel.send({ kind: 'serving', port });
    } catch (error) {
      await channel.send({ kind: 'failed', problem: problemOf(error) });
      end(undefined);
    }
  }

  async function leave(othersListen: boolean): Promise<void> {
    if (gateway !== undefined && serving) {
      await gateway.leave({ othersListen });
      await channel.send({ kind: 'left', counts: await countsOf(gateway) });
    }
    end(undefined);
  }

  async function answer(number: number, query: WorkerQuery): Promise<void> {
    try {
      if (gateway === undefined) throw new Error('the worker has not been set up yet');
      const value = await answerOf(gateway, query);
      await channel.send({ kind: 'answer', number, value });
    } catch (error) {
      await channel.send({ kind: 'answer', number, problem: problemOf(error) });
    }
  }

  channel.onMessage((message) => {
    if (message.kind === 'setup') void setUp(message);
    else if (message.kind === 'leave') void leave(message.othersListen);
    else if (message.kind === 'ask') void answer(message.number, message.query);
    else shares.get(message.source)?.handle(message);
  });
  stop?.addEventListener('abort', () => void leave(true));
  await channel.send({ kind: 'online' });
  await ended;
  await gateway?.close();
}

function problemOf(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  return port === undefined ? message : `cannot listen on port ${port} (${code ?? 'error'})`;
}

/** All checks count, also those that serving does not need at every moment: a wrong Redis address must be found. */
function failingChecks(gateway: ServedGateway): readonly string[] {
  return gateway.checks().flatMap(({ name, ready }) => (ready ? [] : [name]));
}

async function untilReady(gateway: ServedGateway): Promise<void> {
  for (let waitedMs = 0; failingChecks(gateway).length > 0; waitedMs += POLL_MS) {
    if (waitedMs >= READY_MS)
      throw new Error(`not ready within ${READY_MS} ms: ${failingChecks(gateway).join(', ')}`);
    await delay(POLL_MS);
  }
}

async function countsOf(gateway: ServedGateway): Promise<WorkerCounts> {
  return { metrics: await gateway.metrics.values(), quality: gateway.quality() };
}

async function answerOf(gateway: ServedGateway, query: WorkerQuery): Promise<unknown> {
  switch (query.about) {
    case 'held':
      return gateway.countHeld(query.tag);
    case 'action':
      return gateway.act(query.name, query.input, query.actor);
    case 'counts':
      return countsOf(gateway);
    case 'state':
      return { checks: gateway.checks() } satisfies WorkerState;
  }
}
