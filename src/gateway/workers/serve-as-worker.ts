// The worker process of a gateway with several workers: it serves callers, and answers the questions of its primary.

import type { ConfigTexts } from '../../config/load.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import type { PublicSide, StagedConfig } from '../reload/public-side.ts';
import type { Quota } from '../../source/client/bulkhead/bulkhead.ts';
import type { WorkerCounts, PrimaryChannel, WorkerQuery, ToWorker, WorkerState } from './messages.ts';
import type { MetricsJson } from '../../telemetry/history/metric-sample.ts';
import { createSharedQuota } from '../../source/client/bulkhead/shared-quota.ts';
import { answerFleet } from './forward-fleet.ts';
import { createPermitQuota } from './permits/permit-quota.ts';

/** A gateway without an operator's listener, as a worker runs it. */
type ServedGateway = Omit<PublicSide, 'inForce' | 'stage' | 'metrics' | 'audit' | 'tell'> & {
  inForce(): { readonly digest: string };
  /** Compiles another configuration, which serves no request before `apply`. */
  stage(texts: ConfigTexts): Promise<StagedConfig>;
  readonly metrics: { values(): Promise<MetricsJson> };
  readonly audit: Pick<PublicSide['audit'], 'record'>;
};

/** Builds the gateway of a configuration. `quotaOf` returns this process's quota of the concurrent calls of a source. */
export type BuildGateway = (texts: ConfigTexts, quotaOf: (source: string) => Quota) => ServedGateway;

type ReloadQuery = Extract<WorkerQuery, { about: 'stage' | 'swap' | 'discard' }>;

function isReload(query: WorkerQuery): query is ReloadQuery {
  return query.about === 'stage' || query.about === 'swap' || query.about === 'discard';
}

const stateOf = (gateway: ServedGateway): WorkerState => ({
  digest: gateway.inForce().digest,
  checks: gateway.checks(),
});

/** Creates the function that stages, swaps or discards a configuration. Only one configuration is staged at a time. */
function createStaging(): (gateway: ServedGateway, query: ReloadQuery) => Promise<unknown> {
  const oneByOne = createSerialQueue();
  let staged: { readonly number: number; readonly config: StagedConfig } | undefined;
  async function reload(gateway: ServedGateway, query: ReloadQuery): Promise<unknown> {
    if (query.about === 'stage') {
      await staged?.config.discard();
      staged = undefined;
      staged = { number: query.number, config: await gateway.stage(query.texts) };
      return undefined;
    }
    const { number, config } = staged ?? {};
    const isSame = number === query.number;
    if (query.about === 'swap' && !isSame) throw new Error('this configuration is not staged');
    if (isSame) staged = undefined;
    if (isSame && query.about === 'discard') await config?.discard();
    if (query.about === 'swap') config?.apply();
    return stateOf(gateway);
  }
  return (gateway, query) => oneByOne(() => reload(gateway, query));
}

/** Serves as one of several workers, until the primary or `stop` ends it. Resolves once everything is closed. */
export async function serveAsWorker(
  channel: PrimaryChannel,
  build: BuildGateway,
  stop?: AbortSignal,
): Promise<void> {
  const quotas = new Map<string, ReturnType<typeof openQuota>>();
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  let gateway: ServedGateway | undefined;
  let serving = false;
  const reload = createStaging();

  function openQuota(source: string) {
    const permits = createPermitQuota(source, (message) => void channel.send(message));
    return { permits, view: createSharedQuota(permits) };
  }

  function quotaOf(source: string): Quota {
    const quota = quotas.get(source) ?? openQuota(source);
    quotas.set(source, quota);
    return quota.view();
  }

  async function setUp({ texts }: Extract<ToWorker, { kind: 'setup' }>): Promise<void> {
    try {
      gateway = build(texts, quotaOf);
      await gateway.prepare();
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
      const value = await (isReload(query) ? reload(gateway, query) : answerOf(gateway, query));
      await channel.send({ kind: 'answer', number, value });
    } catch (error) {
      await channel.send({ kind: 'answer', number, problem: problemOf(error) });
    }
  }

  channel.onMessage((message) => {
    if (message.kind === 'setup') void setUp(message);
    else if (message.kind === 'leave') void leave(false);
    else if (message.kind === 'ask') void answer(message.number, message.query);
    else quotas.get(message.source)?.permits.handle(message);
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

async function countsOf(gateway: ServedGateway): Promise<WorkerCounts> {
  return { metrics: await gateway.metrics.values(), quality: gateway.quality() };
}

async function answerOf(gateway: ServedGateway, query: Exclude<WorkerQuery, ReloadQuery>): Promise<unknown> {
  switch (query.about) {
    case 'held':
      return gateway.countHeld(query.tag);
    case 'fleet':
      return answerFleet(gateway, query);
    case 'record':
      return gateway.audit.record(query.change);
    case 'action':
      return gateway.act(query.name, query.input, query.actor, query.held);
    case 'counts':
      return countsOf(gateway);
    case 'callers':
      return gateway.callers();
    case 'incidents':
      return gateway.tracker.seen(query.open);
    case 'state':
      return stateOf(gateway);
  }
}
