import { compileSessionReader } from '../adapter/read/session-reader.ts';
import type { SourceSpec } from '../config/schema/source.ts';
import type { Share } from '../upstream/bulkhead/bulkhead.ts';
import { type ControlledUpstream, createUpstream, type Upstream } from '../upstream/client.ts';
import type { CompiledResource } from './compile-sources.ts';
import { controlQuestion } from './control-question.ts';
import { createSourceRates, type SourceRatesDeps } from './source-rates.ts';
import { createSourceResilience, type SourceResilienceDeps } from './source-resilience.ts';

/** This process's part of the calls that several processes may have under way at a source, by the source's name. */
export type ShareOf = (source: string) => Share;

export type SourceUpstreamsDeps = SourceRatesDeps &
  Pick<SourceResilienceDeps, 'clock' | 'log'> & {
    readonly metrics: SourceResilienceDeps['metrics'] & {
      upstreamCall(source: string, outcome: string, seconds: number): void;
    };
    readonly shareOf?: ShareOf | undefined;
  };

/** The clients of all sources. Two resources of one source share its connections and its limits. */
export type SourceUpstreams = {
  of(spec: SourceSpec): Upstream;
  close(): void;
};

/** Creates the clients of the sources of some resources, each when it is first asked for. */
export function createSourceUpstreams(
  compiled: readonly CompiledResource[],
  deps: SourceUpstreamsDeps,
): SourceUpstreams {
  const upstreams = new Map<string, Upstream>();
  const specs = compiled.map(({ source }) => source.spec);
  const rates = createSourceRates(specs, deps);

  function shortestDeadlineMs(name: string): number {
    const served = compiled.filter(({ source }) => source.spec.name === name);
    return Math.min(...served.map(({ config }) => config.deadline));
  }

  function create(spec: SourceSpec): Upstream {
    const { name, budget } = spec;
    const deadlineMs = shortestDeadlineMs(name);
    const patienceMs = Math.min(deadlineMs, budget.time);
    const served = compiled.find(({ source }) => source.spec.name === name);
    const upstream: ControlledUpstream = createUpstream(spec, {
      name,
      onExchange: (outcome, seconds) => deps.metrics.upstreamCall(name, outcome, seconds),
      readSession: compileSessionReader(spec),
      takeToken: rates.of(spec),
      share: deps.shareOf?.(name),
      resilience: createSourceResilience(spec, {
        ...{ ...deps, deadlineMs, patienceMs },
        askControl: (base) => upstream.askControl(base),
      }),
      control: served && controlQuestion(served),
    });
    return upstream;
  }

  return {
    of(spec) {
      const upstream = upstreams.get(spec.name) ?? create(spec);
      upstreams.set(spec.name, upstream);
      return upstream;
    },
    close() {
      for (const upstream of upstreams.values()) upstream.close();
      rates.close();
    },
  };
}
