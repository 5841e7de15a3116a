import type { Upstream } from '../../../source/client/client.ts';
import type { SourceRuntime } from '../windows/source-runtime.ts';

/** A source whose replies are watched. */
export type WatchedSource = {
  readonly source: SourceRuntime;
  /** Milliseconds since its last reply; before the first one, since the watch began. */
  silentMs(): number;
};

/** Watches the replies of a source from now on. */
export function watchReplies(source: SourceRuntime): WatchedSource {
  const { upstream } = source;
  let lastMs = performance.now();
  const ask: Upstream['ask'] = (request, read, ...more) =>
    upstream.ask(
      request,
      (reply) => {
        lastMs = performance.now();
        return read(reply);
      },
      ...more,
    );
  return {
    source: { ...source, upstream: { ask, load: upstream.load, close: () => upstream.close() } },
    silentMs: () => performance.now() - lastMs,
  };
}
