import { compileSessionReader } from '../adapter/read/session-reader.ts';
import type { SourceSpec } from '../config/schema/source.ts';
import { contentDigest } from './parts/content-digest.ts';
import type { MadePart, PartSet } from './parts/kept-parts.ts';
import type { Share } from '../upstream/bulkhead/bulkhead.ts';
import { type ControlledUpstream, createUpstream, type Upstream } from '../upstream/client.ts';
import type { CompiledResource } from './compile-sources.ts';
import { controlQuestion } from './control-question.ts';
import { createSourceRates, type SourceRatesDeps } from './source-rates.ts';
import { createSourceResilience, type SourceResilienceDeps } from './source-resilience.ts';

/** This process's part of the calls that several processes may have under way at a source, by the source's name. */
export type ShareOf = (source: string, concurrency: number) => Share;

export type SourceUpstreamsDeps = SourceRatesDeps &
  Pick<SourceResilienceDeps, 'clock' | 'log'> & {
    readonly metrics: SourceResilienceDeps['metrics'] & {
      upstreamCall(source: string, outcome: string, seconds: number): void;
    };
    readonly shareOf?: ShareOf | undefined;
    /** A client outlives a change of configuration that says the same of its source. */
    readonly parts: Pick<PartSet, 'take'>;
  };

/** The clients of all sources. Two resources of one source share its connections and its limits. */
export type SourceUpstreams = {
  of(compiled: CompiledResource): SourceClient;
};

/** The client of a source. */
export type SourceClient = {
  readonly upstream: Upstream;
  /** Changes with everything that the client was made from. */
  readonly key: string;
};

/** Creates the clients of the sources of some resources, each when it is first asked for. */
export function createSourceUpstreams(
  compiled: readonly CompiledResource[],
  deps: SourceUpstreamsDeps,
): SourceUpstreams {
  function shortestDeadlineMs(name: string): number {
    const served = compiled.filter(({ source }) => source.spec.name === name);
    return Math.min(...served.map(({ config }) => config.deadline));
  }

  function create(spec: SourceSpec, deadlineMs: number): MadePart<Upstream> {
    const { name, budget } = spec;
    const patienceMs = Math.min(deadlineMs, budget.time);
    const served = compiled.find(({ source }) => source.spec.name === name);
    const rates = createSourceRates([spec], deps);
    const upstream: ControlledUpstream = createUpstream(spec, {
      name,
      onExchange: (outcome, seconds) => deps.metrics.upstreamCall(name, outcome, seconds),
      readSession: compileSessionReader(spec),
      takeToken: rates.of(spec),
      share: deps.shareOf?.(name, spec.net.concurrency),
      resilience: createSourceResilience(spec, {
        ...{ ...deps, deadlineMs, patienceMs },
        askControl: (base) => upstream.askControl(base),
      }),
      control: served && controlQuestion(served),
    });
    function close(): void {
      upstream.close();
      rates.close();
    }
    return { value: upstream, close };
  }

  return {
    of({ source: { spec }, digest }) {
      const deadlineMs = shortestDeadlineMs(spec.name);
      const [first] = compiled.filter(({ source }) => source.spec.name === spec.name);
      const key = contentDigest([spec.name, digest, deadlineMs, first?.resource.name]);
      return { upstream: deps.parts.take('source', key, () => create(spec, deadlineMs)), key };
    },
  };
}
