import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import type { SourceSpec } from '../../../src/config/schema/source.ts';
import { chooseSources } from '../../../src/source/compile-sources.ts';
import { checkedFetch } from '../client/openapi-check.ts';
import { loadTexts } from './config-texts.ts';
import { setGenerousTimeouts } from './generous-timeouts.ts';
import { type LocalGateway, runGateway } from './running-gateway.ts';

/** A gateway in front of one source, for everybody, without limits and without a memory. */
export type SourceGateway = LocalGateway & {
  /** Asks it; the answer is checked against the contract. */
  get(path: string): Promise<Response>;
};

function gatewayFile(name: string, resources: readonly string[]): string {
  const entry = `{ source: ${name}, public: true, deadline: 60s, cache: { fresh: 0s, notFound: 0s } }`;
  return [
    'portico: 1',
    'listen: { host: 127.0.0.1, port: 0, drain: 0ms }',
    'admin: { port: 0 }',
    'limits: { tiers: { standard: { windows: [1000000 per 1s] } } }',
    'resources:',
    ...resources.map((resource) => `  ${resource}: ${entry}`),
  ].join('\n');
}

/** Starts a gateway in front of the source in a YAML text. Times are long, unless `configure` says otherwise. */
export async function startSourceGateway(
  text: string,
  configure: (config: GatewayConfig, source: SourceSpec) => void = () => undefined,
): Promise<SourceGateway> {
  const sources = { 'source.yaml': text };
  const [loaded] = loadTexts({ gateway: 'portico: 1\nresources: {}', sources }).config.sources.values();
  const gateway = loaded && gatewayFile(loaded.spec.name, Object.keys(loaded.spec.resources));
  const { config, compiled, problems } = loadTexts({ gateway: gateway ?? '', sources });
  if (config.gateway === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  const { spec } = compiled[0]!.source;
  setGenerousTimeouts(config.gateway, [spec]);
  configure(config.gateway, spec);
  const running = await runGateway(config.gateway, chooseSources(config.gateway, compiled));
  return { ...running, get: (path) => checkedFetch(running.url + path) };
}
