import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import type { SourceSpec } from '../../../src/config/schema/source.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { chooseSources } from '../../../src/source/compile-sources.ts';
import { checkedFetch } from '../client/openapi-check.ts';
import { type ConfigTexts, loadTexts } from './config-texts.ts';
import { setGenerousTimeouts } from './generous-timeouts.ts';
import { type LocalGateway, runGateway } from './running-gateway.ts';

/** A gateway in front of sources that are given as texts, without limits. */
export type SourceGateway = LocalGateway & {
  /** Asks it; the answer is checked against the contract. */
  get(path: string): Promise<Response>;
};

/** What a gateway is started with. */
export type GatewaySetup = Pick<ConfigTexts, 'variables' | 'contract'> & {
  /** The texts of its sources, by their files. */
  readonly sources: Readonly<Record<string, string>>;
  /** What its file says beside the usual; by default it serves all of the first source to everybody, without a memory. */
  readonly config?: string;
  /** Whether all times are long; true by default. */
  readonly isPatient?: boolean;
  /** Changes the configuration, and the sources in the order of their resources, before the gateway is made. */
  readonly configure?: (config: GatewayConfig, ...sources: readonly SourceSpec[]) => void;
  readonly clock?: Clock;
  readonly level?: string;
};

const USUAL = `portico: 1
listen: { host: 127.0.0.1, port: 0, drain: 0ms }
admin: { port: 0 }
limits: { tiers: { standard: { windows: [1000000 per 1s] } } }
`;

function servesFirst(texts: ConfigTexts): string {
  const [first] = loadTexts({ ...texts, gateway: 'portico: 1\nresources: {}' }).config.sources.values();
  const { name, resources } = first?.spec ?? { name: '', resources: {} };
  const entry = `{ source: ${name}, public: true, deadline: 60s, cache: { fresh: 0s, notFound: 0s } }`;
  return `resources: { ${Object.keys(resources)
    .map((resource) => `${resource}: ${entry}`)
    .join(', ')} }`;
}

/** Starts a gateway in this process. @throws Error with the problems of its texts */
export async function startGateway(setup: GatewaySetup): Promise<SourceGateway> {
  const { sources, contract, variables = {}, isPatient = true, configure, ...options } = setup;
  const gateway = USUAL + (setup.config ?? servesFirst({ sources, contract, variables }));
  const { config, compiled, problems } = loadTexts({ gateway, contract, sources, variables });
  if (config.gateway === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  const specs = [...new Set(compiled.map(({ source }) => source.spec))];
  if (isPatient) setGenerousTimeouts(config.gateway, specs);
  configure?.(config.gateway, ...specs);
  const running = await runGateway(config.gateway, chooseSources(config.gateway, compiled), options);
  return { ...running, get: (path) => checkedFetch(running.url + path) };
}

/** Starts a gateway in front of one source, for everybody and without a memory. */
export function startSourceGateway(
  text: string,
  configure?: (config: GatewayConfig, ...sources: readonly SourceSpec[]) => void,
): Promise<SourceGateway> {
  return startGateway({ sources: { 'source.yaml': text }, ...(configure && { configure }) });
}
