import { type RunningGateway, runGateway } from '../gateway/running-gateway.ts';
import { chooseSources } from '../../../src/source/compile-sources.ts';
import type { SourceSpec } from '../../../src/config/schema/source.ts';
import { loadTexts } from '../gateway/config-texts.ts';
import { type Dialect, textKeysOf } from './seeds.ts';

/** A whole gateway in front of one source. */
export type HostileGateway = RunningGateway & {
  readonly spec: SourceSpec;
  /** The names under which a text of a reply may rightly leave. */
  readonly textKeys: ReadonlySet<string>;
  /** What it logged since the last time it was asked. */
  takeLog(): string;
};

/** What a body may hold, in bytes: small, so that many large ones cost little. */
const BYTES_MAX = 256 * 1024;

/** Users and products of one source, for everybody, without limits and without a memory. */
function gatewayFile(name: string, { resources }: SourceSpec): string {
  const entry = `{ source: ${name}, public: true, deadline: 60s, cache: { fresh: 0s, notFound: 0s } }`;
  const served = Object.keys(resources).map((resource) => `  ${resource}: ${entry}`);
  return [
    'portico: 1',
    'listen: { host: 127.0.0.1, port: 0, drain: 0ms }',
    'admin: { port: 0 }',
    'log: { level: debug }',
    'limits: { tiers: { standard: { windows: [1000000 per 1s] } } }',
    'resources:',
    ...served,
  ].join('\n');
}

/** Puts a dialect behind a gateway; every address in its file is that of the upstream. */
export async function startHostileGateway(
  { name, text }: Dialect,
  upstream: string,
): Promise<HostileGateway> {
  const names = [...text.matchAll(/\$\{(\w+)/g)].map(([, variable = '']) => variable);
  const variables = Object.fromEntries(
    names.map((one) => [one, one.includes('URL') ? upstream : 'placeholder']),
  );
  const sources = { [`${name}.yaml`]: text };
  const { config } = loadTexts({ gateway: 'portico: 1\nresources: {}', sources, variables });
  const [source] = config.sources.values();
  if (source === undefined) throw new Error(`${name} cannot be loaded`);
  const {
    config: loaded,
    compiled,
    problems,
  } = loadTexts({
    gateway: gatewayFile(source.spec.name, source.spec),
    sources,
    variables,
  });
  if (loaded.gateway === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  const { spec } = compiled[0]!.source;
  Object.assign(spec.net, { bytesMax: BYTES_MAX, timeout: 300 });
  Object.assign(spec.budget, { rows: 2_000, calls: 12, time: 1_500, snapshot: 0 });
  const gateway = await runGateway(loaded.gateway, chooseSources(loaded.gateway, compiled), {
    level: 'trace',
  });
  let taken = 0;
  return {
    ...gateway,
    spec,
    textKeys: textKeysOf(spec),
    takeLog() {
      const text = gateway.log.slice(taken).join('');
      taken = gateway.log.length;
      return text;
    },
  };
}
