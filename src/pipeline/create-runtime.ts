import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';
import { createLargeReplies } from '../reading/large-replies/large-replies.ts';
import type { SourceRuntime } from '../reading/source-runtime.ts';
import type { Upstream } from '../upstream/client.ts';
import type { CompiledSource } from './compile-sources.ts';
import { createQuality, type Quality, type QualityMetrics } from './quality.ts';

/** What the metrics count of the replies of sources. */
export type ReplyMetrics = QualityMetrics & {
  unreadableField(source: string, field: string, reason: string): void;
  guardTrip(source: string, resource: string, rule: string): void;
};

export type RuntimeDeps = {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  readonly metrics: ReplyMetrics;
};

/** A resource of a source at work, and the quality of its replies. */
export type WatchedRuntime = {
  readonly runtime: SourceRuntime;
  readonly quality: Quality;
  /** Ends the thread for large replies. */
  close(): Promise<void>;
};

/** An upstream whose unusable replies count in the quality of the source. */
function watchUpstream(upstream: Upstream, { failed }: Quality): Upstream {
  const ask: Upstream['ask'] = async (request, read, signal, ...more) => {
    try {
      return await upstream.ask(request, read, signal, ...more);
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  return {
    ask,
    get load() {
      return upstream.load;
    },
    close: () => upstream.close(),
  };
}

/** Puts a resource of a source to work. */
export function createRuntime(
  compiled: CompiledSource,
  upstream: Upstream,
  { clock, log, metrics }: RuntimeDeps,
): WatchedRuntime {
  const { resource, source } = compiled;
  const { name, budget } = source.spec;
  const largeReplies = createLargeReplies(compiled);
  const quality = createQuality({ ...compiled, adapter: largeReplies.adapter }, { clock, metrics });
  const runtime: SourceRuntime = {
    resource,
    adapter: quality.adapter,
    upstream: watchUpstream(upstream, quality),
    largeReplies,
    budget,
    clock,
    switchedOff: new Set(),
    observer: {
      fieldGap: (field, reason) => metrics.unreadableField(name, `${resource.name}.${field}`, reason),
      contradicted(capability) {
        metrics.guardTrip(name, resource.name, capability);
        const { file, line } = quality.contradicted(capability);
        log.warn(
          { source: name, resource: resource.name, capability, file, line },
          'the source contradicts its configuration; answers are computed without this claim',
        );
      },
    },
  };
  return { runtime, quality, close: () => largeReplies.close() };
}
